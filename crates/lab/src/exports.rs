//! Functions that the page calls in WebAssembly. The page writes a question as JSON to the memory
//! that [`room`] returns. [`ask`] answers it, and the answer is found at [`answer`]: first its
//! JSON, then its numbers.

use std::cell::RefCell;
use std::panic;

use crate::message::{Answer, Lab};

thread_local! {
    static BORDER: RefCell<Border> = RefCell::default();
}

#[derive(Default)]
struct Border {
    lab: Lab,
    question: Vec<u8>,
    answer: Vec<u8>,
    json_bytes: usize,
}

/// Memory for a question of `bytes` bytes, to be written by the page.
#[unsafe(no_mangle)]
#[allow(unsafe_code, reason = "a name that the page can call")]
pub extern "C" fn room(bytes: usize) -> *mut u8 {
    BORDER.with_borrow_mut(|border| {
        border.question.clear();
        border.question.resize(bytes, 0);
        border.question.as_mut_ptr()
    })
}

/// Answers the question. Returns the length in bytes of the JSON at the beginning of the answer.
#[unsafe(no_mangle)]
#[allow(unsafe_code, reason = "a name that the page can call")]
pub extern "C" fn ask() -> usize {
    BORDER.with_borrow_mut(|border| {
        let Answer { json, numbers } = border.lab.answer(&border.question);
        border.answer = json.into_bytes();
        border.json_bytes = border.answer.len();
        border.answer.extend(numbers);
        border.json_bytes
    })
}

/// Address of the answer: JSON of the length that [`ask`] returned, then numbers up to the length
/// [`answer_bytes`].
#[unsafe(no_mangle)]
#[allow(unsafe_code, reason = "a name that the page can call")]
pub extern "C" fn answer() -> *const u8 {
    BORDER.with_borrow(|border| border.answer.as_ptr())
}

/// Length of the whole answer in bytes.
#[unsafe(no_mangle)]
#[allow(unsafe_code, reason = "a name that the page can call")]
pub extern "C" fn answer_bytes() -> usize {
    BORDER.with_borrow(|border| border.answer.len())
}

thread_local! {
    static LAST_WORDS: RefCell<String> = RefCell::default();
}

/// Prepares to keep the message of a panic for [`last_words`], since a panic ends the module. The
/// page calls this function once.
#[unsafe(no_mangle)]
#[allow(unsafe_code, reason = "a name that the page can call")]
pub extern "C" fn listen() {
    panic::set_hook(Box::new(|info| {
        LAST_WORDS.with_borrow_mut(|words| *words = info.to_string());
    }));
}

/// Address of the message of a panic; the message is [`last_words_bytes`] long.
#[unsafe(no_mangle)]
#[allow(unsafe_code, reason = "a name that the page can call")]
pub extern "C" fn last_words() -> *const u8 {
    LAST_WORDS.with_borrow(|words| words.as_ptr())
}

/// Length of the message of a panic in bytes.
#[unsafe(no_mangle)]
#[allow(unsafe_code, reason = "a name that the page can call")]
pub extern "C" fn last_words_bytes() -> usize {
    LAST_WORDS.with_borrow(|words| words.len())
}
