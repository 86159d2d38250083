//! The part of the protocol-buffer wire format that a SentencePiece model file uses.
//!
//! A message is a sequence of fields, each a varint key `number << 3 | wire type` and a payload: a varint (type 0),
//! eight bytes (1), a varint length and that many bytes (2), or four bytes (5).
//! Source: Protocol Buffers, "Encoding". Hand-written, because errors must carry the file offset and nothing may be copied:
//! a field borrows from the file, so no count in it is ever trusted with an allocation.

/// One field of a message.
#[derive(Clone, Copy, Debug)]
pub(super) struct Field<'a> {
    pub number: u64,
    /// Offset of the field's key in the file.
    pub offset: usize,
    pub value: Value<'a>,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Value<'a> {
    Varint(u64),
    Fixed32([u8; 4]),
    Fixed64,
    Bytes(Message<'a>),
}

/// A run of bytes that may be a nested message, a string or raw bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Message<'a> {
    pub bytes: &'a [u8],
    /// Offset of the first byte in the file.
    pub offset: usize,
}

/// What is wrong with the encoding, and at which offset of the file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Malformed {
    pub offset: usize,
    pub expected: &'static str,
}

impl<'a> Message<'a> {
    /// The fields in file order; ends after the first error.
    pub fn fields(self) -> Fields<'a> {
        Fields { message: self, position: 0 }
    }
}

pub(super) struct Fields<'a> {
    message: Message<'a>,
    position: usize,
}

impl<'a> Fields<'a> {
    fn malformed(&self, expected: &'static str) -> Malformed {
        Malformed { offset: self.message.offset + self.position, expected }
    }

    fn varint(&mut self) -> Result<u64, Malformed> {
        let mut value = 0u64;
        for (index, &byte) in self.message.bytes[self.position..].iter().take(10).enumerate() {
            // The tenth byte holds the 64th bit only.
            if index == 9 && byte > 1 {
                break;
            }
            value |= u64::from(byte & 0x7f) << (7 * index);
            if byte & 0x80 == 0 {
                self.position += index + 1;
                return Ok(value);
            }
        }
        Err(self.malformed("a varint of at most 64 bits"))
    }

    fn take(&mut self, count: usize, expected: &'static str) -> Result<Message<'a>, Malformed> {
        let end = self.position.checked_add(count).filter(|&end| end <= self.message.bytes.len());
        let end = end.ok_or_else(|| self.malformed(expected))?;
        let part =
            Message { bytes: &self.message.bytes[self.position..end], offset: self.message.offset + self.position };
        self.position = end;
        Ok(part)
    }

    fn field(&mut self) -> Result<Field<'a>, Malformed> {
        let offset = self.message.offset + self.position;
        let key = self.varint()?;
        let value = match key & 7 {
            0 => Value::Varint(self.varint()?),
            1 => self.take(8, "eight more bytes").map(|_| Value::Fixed64)?,
            2 => {
                let length = self.varint()?;
                let length = usize::try_from(length).unwrap_or(usize::MAX);
                Value::Bytes(self.take(length, "as many bytes as the length before says")?)
            }
            5 => {
                let bytes = self.take(4, "four more bytes")?.bytes;
                Value::Fixed32([bytes[0], bytes[1], bytes[2], bytes[3]])
            }
            _ => return Err(Malformed { offset, expected: "a field of wire type 0, 1, 2 or 5" }),
        };
        Ok(Field { number: key >> 3, offset, value })
    }
}

impl<'a> Iterator for Fields<'a> {
    type Item = Result<Field<'a>, Malformed>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.position >= self.message.bytes.len() {
            return None;
        }
        let field = self.field();
        if field.is_err() {
            self.position = self.message.bytes.len();
        }
        Some(field)
    }
}
