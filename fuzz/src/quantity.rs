//! Quantities with units: printed, they read back the same.

use std::fmt::{Debug, Display};
use std::str::FromStr;

use cellrate::scenario::Quantity;
use cellrate_engine::kernel::units::{Buffer, Bytes, Cells, Delay};
use cellrate_engine::kernel::{Ps, Rate};

/// The input is a text.
pub fn check(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    survives::<Ps>(text);
    survives::<Delay>(text);
    survives::<Rate>(text);
    survives::<Bytes>(text);
    survives::<Buffer>(text);
    survives::<Cells>(text);
    for quantity in Quantity::ALL {
        let value = quantity.value(text);
        assert_eq!(quantity.reads(text), value.is_some());
        assert!(
            value.is_none_or(|value| value >= 0.0),
            "{quantity:?} of {text:?} is {value:?}"
        );
        let _ = quantity.hint(text);
        match quantity.read(text) {
            Ok(read) => assert!(value == Some(read) && quantity.beyond(text).is_none()),
            Err(told) => {
                assert!(!told.is_empty() && (value.is_none() || quantity.beyond(text).is_some()))
            }
        }
    }
}

fn survives<T: FromStr<Err: Display> + Display + Debug + PartialEq>(text: &str) {
    match text.parse::<T>() {
        Ok(value) => {
            let printed = value.to_string();
            let again = printed.parse::<T>();
            assert!(
                again.as_ref().is_ok_and(|again| *again == value),
                "{text:?} is {value:?}, printed {printed}"
            );
            assert_eq!(again.map(|again| again.to_string()).ok(), Some(printed));
        }
        Err(told) => assert!(!told.to_string().is_empty()),
    }
}
