/**
 * Which parts of a page are text: `src/text/html/rules.json`, where the roles are explained, as a module. A test compares the two.
 */
export const TABLE = {
  elements: {
    border:
      "address article aside base blockquote body button caption center col colgroup dd details dialog dir div dl dt fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html legend li link main menu meta nav ol optgroup option p search section select slot summary table tbody td tfoot th thead title tr ul",
    preformatted: "listing plaintext pre xmp",
    object: "applet audio canvas iframe meter noembed noframes noscript object progress svg template video",
    hidden: "area basefont bgsound embed img input keygen math param script source style textarea track wbr",
    verbatim: "code kbd samp tt var",
    annotation: "rp rt rtc",
  },
  svg: {
    inline: "a textPath tspan",
    hidden: "metadata script style",
  },
  attributes:
    "title alt placeholder aria-label aria-description aria-roledescription aria-placeholder aria-valuetext label abbr",
  buttons: "button reset submit",
  descriptions: "description og:title og:description og:image:alt twitter:title twitter:description twitter:image:alt",
};
