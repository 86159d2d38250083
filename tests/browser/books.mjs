/** Small books for tests. */
import { crc32, deflateRawSync, inflateRawSync } from "node:zlib";

const CONTAINER =
  '<?xml version="1.0"?><container xmlns="urn:oasis:names:tc:opendocument:xmlns:container" version="1.0"><rootfiles>' +
  '<rootfile full-path="OEBPS/content.opf" media-type="application/oebps-package+xml"/></rootfiles></container>';

/** @param {string} body */
const page = (body) =>
  '<?xml version="1.0" encoding="utf-8"?>\n<html xmlns="http://www.w3.org/1999/xhtml"><head><title>A book</title></head>' +
  `<body>${body}</body></html>\n`;

/**
 * An EPUB of chapters, with navigation.
 * @param {[name: string, body: string][]} chapters
 * @param {[name: string, content: Uint8Array][]} [pictures]
 * @returns {Uint8Array<ArrayBuffer>}
 */
export function book(chapters, pictures = []) {
  const items = [
    ...chapters.map(([name], i) => `<item id="c${i}" href="${name}" media-type="application/xhtml+xml"/>`),
    ...pictures.map(([name], i) => `<item id="p${i}" href="${name}" media-type="image/jpeg"/>`),
  ];
  const order = chapters.map((_, i) => `<itemref idref="c${i}"/>`);
  const links = chapters.map(([name], i) => `<li><a href="${name}">The part with number ${i + 1}</a></li>`);
  const opf =
    '<?xml version="1.0" encoding="utf-8"?>\n<package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="id">' +
    '<metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:identifier id="id">x</dc:identifier><dc:title>A book</dc:title>' +
    '<dc:language>en</dc:language><meta property="dcterms:modified">2026-01-01T00:00:00Z</meta></metadata>' +
    '<manifest><item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>' +
    `<item id="css" href="style.css" media-type="text/css"/>${items.join("")}</manifest><spine>${order.join("")}</spine></package>`;
  const nav = `<nav xmlns:epub="http://www.idpf.org/2007/ops" epub:type="toc"><ol>${links.join("")}</ol></nav>`;
  return archive([
    ["mimetype", "application/epub+zip"],
    ["META-INF/container.xml", CONTAINER],
    ["OEBPS/content.opf", opf],
    ["OEBPS/style.css", "p { color: red }"],
    ["OEBPS/nav.xhtml", page(nav)],
    ...chapters.map(([name, body]) => /** @type {[string, string]} */ ([`OEBPS/${name}`, page(body)])),
    ...pictures.map(([name, content]) => /** @type {[string, Uint8Array]} */ ([`OEBPS/${name}`, content])),
  ]);
}

/**
 * A zip archive; its first file is not compressed. Layout: APPNOTE.TXT of PKWARE, sections 4.3.7, 4.3.12, 4.3.16.
 * @param {[name: string, content: string | Uint8Array][]} files
 * @returns {Uint8Array<ArrayBuffer>}
 */
function archive(files) {
  /** @type {Buffer[]} */
  const parts = [];
  /** @type {Buffer[]} */
  const directory = [];
  let offset = 0;
  for (const [index, [name, text]] of files.entries()) {
    const content = Buffer.from(text);
    const packed = index === 0 ? content : deflateRawSync(content);
    // Version needed, flags, method, time, date, checksum, sizes, length of the name, of the extra field.
    const facts = Buffer.alloc(26);
    facts.writeUInt16LE(20, 0);
    facts.writeUInt16LE(index === 0 ? 0 : 8, 4);
    facts.writeUInt16LE(0x21, 8);
    facts.writeUInt32LE(crc32(content), 10);
    facts.writeUInt32LE(packed.length, 14);
    facts.writeUInt32LE(content.length, 18);
    facts.writeUInt16LE(Buffer.byteLength(name), 22);
    const local = Buffer.concat([Buffer.from("PK\x03\x04"), facts, Buffer.from(name), packed]);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(offset, 10);
    directory.push(Buffer.concat([Buffer.from("PK\x01\x02\x14\x00"), facts, place, Buffer.from(name)]));
    parts.push(local);
    offset += local.length;
  }
  const entries = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write("PK\x05\x06", "latin1");
  end.writeUInt16LE(files.length, 8);
  end.writeUInt16LE(files.length, 10);
  end.writeUInt32LE(entries.length, 12);
  end.writeUInt32LE(offset, 16);
  return Uint8Array.from(Buffer.concat([...parts, entries, end]));
}

/**
 * The content of a file in an archive, found by its directory.
 * @param {Uint8Array} bytes
 * @param {string} name
 */
export function partOf(bytes, name) {
  const archive = Buffer.from(bytes);
  const end = archive.lastIndexOf(Buffer.from("PK\x05\x06", "latin1"));
  let at = archive.readUInt32LE(end + 16);
  for (let left = archive.readUInt16LE(end + 10); left > 0; left--) {
    const [method, size] = [archive.readUInt16LE(at + 10), archive.readUInt32LE(at + 20)];
    const [length, extra, comment] = [28, 30, 32].map((field) => archive.readUInt16LE(at + field));
    const local = archive.readUInt32LE(at + 42);
    if (archive.toString("utf8", at + 46, at + 46 + (length ?? 0)) === name) {
      const start = local + 30 + archive.readUInt16LE(local + 26) + archive.readUInt16LE(local + 28);
      const packed = archive.subarray(start, start + size);
      return (method === 0 ? packed : inflateRawSync(packed)).toString("utf8");
    }
    at += 46 + (length ?? 0) + (extra ?? 0) + (comment ?? 0);
  }
  throw new Error(`no ${name} in the archive`);
}
