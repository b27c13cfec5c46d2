//! Byte format of the outcome of a run: magic number, version of the format, length, SHA-256, then
//! the fields one after the other. Numbers are little-endian; each list and each text follows its
//! length.

use sha2::{Digest, Sha256};

use super::outcome::Damaged;

const MAGIC: &[u8; 8] = b"CRresult";
/// Version of the format.
const FORMAT: u32 = 1;
const HEADER: usize = 8 + 4 + 8 + 32;

/// Writes the fields of an outcome as bytes, one after the other.
#[derive(Debug, Default)]
pub struct Writer(Vec<u8>);

impl Writer {
    /// Appends a number as eight bytes.
    pub fn count(&mut self, value: usize) {
        self.0.extend((value as u64).to_le_bytes());
    }
    /// Appends the length of a text in bytes, then the text.
    pub fn text(&mut self, text: &str) {
        self.count(text.len());
        self.0.extend(text.as_bytes());
    }
    /// Appends the number of `items`, then each item as `write` writes it.
    pub fn list<T>(&mut self, items: &[T], write: impl Fn(&mut Writer, &T)) {
        self.count(items.len());
        items.iter().for_each(|item| write(self, item));
    }
    /// Appends the length of a list, then its numbers.
    pub fn floats(&mut self, values: &[f64]) {
        self.list(values, |writer, value| {
            writer.0.extend(value.to_bits().to_le_bytes())
        });
    }
    /// Appends the length of a list, then its values. A flag before each value says whether the
    /// value exists.
    pub fn options<T>(&mut self, values: &[Option<T>], write: impl Fn(&mut Writer, &T)) {
        self.list(values, |writer, value| {
            writer.0.push(value.is_some() as u8);
            if let Some(value) = value {
                write(writer, value);
            }
        });
    }
    /// Appends an integer, which may be negative, as eight bytes.
    pub fn integer(&mut self, value: i64) {
        self.0.extend(value.to_le_bytes());
    }
    /// Returns all bytes written, after the header of the format.
    pub fn finish(self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(HEADER + self.0.len());
        bytes.extend(MAGIC);
        bytes.extend(FORMAT.to_le_bytes());
        bytes.extend((self.0.len() as u64).to_le_bytes());
        bytes.extend(Sha256::digest(&self.0));
        bytes.extend(&self.0);
        bytes
    }
}

/// Reads the fields of an outcome in the order in which they were written.
#[derive(Debug)]
pub struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    /// Checks the header of `bytes` and makes a reader of the fields after the header.
    pub fn new(bytes: &'a [u8]) -> Result<Reader<'a>, Damaged> {
        let (header, body) = bytes
            .split_at_checked(HEADER)
            .ok_or(Damaged("cut off within the header"))?;
        if &header[..8] != MAGIC {
            return Err(Damaged("not a stored result"));
        }
        if header[8..12] != FORMAT.to_le_bytes() {
            return Err(Damaged(
                "written by another version of cellrate, in another format",
            ));
        }
        if header[12..20] != (body.len() as u64).to_le_bytes() {
            return Err(Damaged("its length differs from that in the header"));
        }
        if header[20..] != *Sha256::digest(body) {
            return Err(Damaged("its checksum differs from that in the header"));
        }
        Ok(Reader(body))
    }
    fn take(&mut self, length: usize) -> Result<&'a [u8], Damaged> {
        let (taken, rest) = self
            .0
            .split_at_checked(length)
            .ok_or(Damaged("fields end too early"))?;
        self.0 = rest;
        Ok(taken)
    }
    fn eight(&mut self) -> Result<[u8; 8], Damaged> {
        let bytes = self.take(8)?;
        bytes
            .try_into()
            .map_err(|_| Damaged("fields end too early"))
    }
    /// Reads a number of eight bytes.
    pub fn count(&mut self) -> Result<usize, Damaged> {
        usize::try_from(u64::from_le_bytes(self.eight()?))
            .map_err(|_| Damaged("a length that exceeds the memory"))
    }
    /// Reads the length of a text, then the text.
    pub fn text(&mut self) -> Result<String, Damaged> {
        let length = self.count()?;
        String::from_utf8(self.take(length)?.to_vec())
            .map_err(|_| Damaged("a text that is not UTF-8"))
    }
    /// Reads the length of a list, then each item with `read`.
    pub fn list<T>(
        &mut self,
        read: impl Fn(&mut Reader<'a>) -> Result<T, Damaged>,
    ) -> Result<Vec<T>, Damaged> {
        let count = self.count()?;
        // A wrong count must not reserve more memory than the remaining bytes take.
        let mut items = Vec::with_capacity(count.min(self.0.len() / size_of::<T>().max(1)));
        for _ in 0..count {
            items.push(read(self)?);
        }
        Ok(items)
    }
    /// Reads a floating-point number.
    pub fn float(&mut self) -> Result<f64, Damaged> {
        Ok(f64::from_bits(u64::from_le_bytes(self.eight()?)))
    }
    /// Reads a list of floating-point numbers.
    pub fn floats(&mut self) -> Result<Vec<f64>, Damaged> {
        self.list(Reader::float)
    }
    /// Reads a list of values, some of which may be missing.
    pub fn options<T>(
        &mut self,
        read: impl Fn(&mut Reader<'a>) -> Result<T, Damaged>,
    ) -> Result<Vec<Option<T>>, Damaged> {
        self.list(|reader| match reader.take(1)? {
            [0] => Ok(None),
            [1] => read(reader).map(Some),
            _ => Err(Damaged("an invalid mark of an optional value")),
        })
    }
    /// Reads an integer, which may be negative.
    pub fn integer(&mut self) -> Result<i64, Damaged> {
        Ok(i64::from_le_bytes(self.eight()?))
    }
    /// Checks that no bytes are left.
    pub fn finish(self) -> Result<(), Damaged> {
        if self.0.is_empty() {
            Ok(())
        } else {
            Err(Damaged("more fields than there should be"))
        }
    }
}
