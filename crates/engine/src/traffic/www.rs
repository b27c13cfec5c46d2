//! A World Wide Web client and its server over one persistent TCP connection (HTTP/1.1).

use alloc::format;
use alloc::string::{String, ToString};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::object_sizes::ObjectSizes;
use super::{Application, Demand, Load, Source, Writes};
use crate::kernel::units::Bytes;
use crate::kernel::{Ps, Stream};

/// Pages that a client requests over one connection that stays open (RFC 2068 section 8.1): the
/// bursty application of Kalyanaraman 1997, section 8.19. The source is the server, the destination
/// the client. A page consists of several objects. When the client has received the whole page it
/// thinks, then requests the next page. An idle time shorter than TCP's timeout and than ADTF keeps
/// cwnd and ACR, so that the next answer is a burst. Acknowledgements show which data the client
/// has received, and carry the client's requests: requests take no cells of their own. The paper
/// has no model, only that of a reference (a variant of SPECweb96 by Vandalore et al., ATM Forum
/// 97-0425); each parameter names the source of its default.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WwwConfig {
    /// Mean of the exponential time from the arrival of a page to the request for the next page,
    /// above 0 s.
    pub think_time: Ps,
    /// Mean number of objects in a page, geometrically distributed, at least 1. Mah 1997 measured
    /// 2.8 to 3.2 files.
    #[serde(default = "three")]
    pub objects: f64,
    /// Requests all objects of a page at once; the server answers in one burst (pipelining, RFC
    /// 2068 section 8.1.2.2). With false, an object is requested after the object before it has
    /// arrived.
    #[serde(default)]
    pub pipelined: bool,
    /// Time from the arrival of a request to the server's answer.
    #[serde(default)]
    pub server_time: Ps,
    /// Shape of the Pareto distribution of object sizes, above 0: 1.06 in Crovella and Bestavros
    /// 1997. If absent, sizes are the mix of SPECweb96: 35 % of 0.1 to 0.9, 50 % of 1 to 9, 14 % of
    /// 10 to 90 and 1 % of 100 to 900 KiB. Within a class a Poisson distribution of mean 5 selects
    /// one of nine sizes. The mean is 14.6 kB.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pareto_shape: Option<f64>,
    /// Smallest size of an object, with `pareto_shape`. 1 KiB if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub smallest: Option<Bytes>,
    /// Largest size of an object, with `pareto_shape`, at which the distribution is cut off. 10 MiB
    /// if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub largest: Option<Bytes>,
}

fn three() -> f64 {
    3.0
}

impl WwwConfig {
    fn sizes(&self) -> ObjectSizes {
        let (smallest, largest) = (
            self.smallest.unwrap_or(Bytes(1 << 10)),
            self.largest.unwrap_or(Bytes(10 << 20)),
        );
        match self.pareto_shape {
            Some(shape) => ObjectSizes::Pareto {
                shape,
                smallest: smallest.0,
                largest: largest.0,
            },
            None => ObjectSizes::SpecWeb96,
        }
    }

    fn check_bounds(&self) -> Option<(&'static str, String)> {
        let ObjectSizes::Pareto {
            smallest, largest, ..
        } = self.sizes()
        else {
            return None;
        };
        if smallest == 0 {
            return Some((
                "smallest",
                "an object must have at least 1 byte".to_string(),
            ));
        }
        (largest <= smallest).then(|| {
            let field = if self.largest.is_some() {
                "largest"
            } else {
                "smallest"
            };
            (
                field,
                format!(
                    "`largest` of {} is not above `smallest` of {}",
                    Bytes(largest),
                    Bytes(smallest)
                ),
            )
        })
    }
}

impl Source for WwwConfig {
    const OVER_TCP: bool = true;

    fn check(&self) -> Option<(&'static str, String)> {
        if self.think_time == Ps::ZERO {
            return Some((
                "think_time",
                "`think_time` is 0 s; allowed: above 0 s (without pauses use the source `greedy`)"
                    .to_string(),
            ));
        }
        if !(self.objects >= 1.0 && self.objects <= 1e6) {
            return Some((
                "objects",
                format!("`objects` is {}; allowed: 1 to 1000000", self.objects),
            ));
        }
        match self.pareto_shape {
            None if self.smallest.is_some() || self.largest.is_some() => {
                let key = if self.smallest.is_some() {
                    "smallest"
                } else {
                    "largest"
                };
                Some((
                    key,
                    format!("`{key}` has a meaning only with `pareto_shape`"),
                ))
            }
            Some(shape) if !(shape > 0.0 && shape.is_finite()) => Some((
                "pareto_shape",
                format!("`pareto_shape` is {shape}; allowed: above 0"),
            )),
            _ => self.check_bounds(),
        }
    }

    fn load(&self) -> Load {
        Load::Elastic
    }

    fn demand(&self, start: Ps, stream: Stream) -> Demand {
        let mut client = Www {
            think: self.think_time.0 as f64,
            // With this probability an object is the last one of its page.
            last: 1.0 / self.objects,
            pipelined: self.pipelined,
            server_time: self.server_time,
            sizes: self.sizes(),
            stream,
            left: 0,
            next: Ps::NEVER,
        };
        client.think(start);
        Demand::Writes(Writes::Www(client))
    }
}

/// State of the client and server. A think time precedes the request for the first page.
#[derive(Clone, Debug)]
pub struct Www {
    think: f64,
    last: f64,
    pipelined: bool,
    server_time: Ps,
    sizes: ObjectSizes,
    stream: Stream,
    /// Number of objects of the present page that the server has not written yet.
    left: u64,
    /// Time of the server's next write; `NEVER` while the client waits for data already written.
    next: Ps,
}

impl Www {
    fn think(&mut self, now: Ps) {
        let think = Ps(libm::round(self.stream.exponential(self.think)) as u64);
        self.next = now.saturating_add(think).saturating_add(self.server_time);
        self.left = self.objects();
    }

    /// Draws the number of objects of a page from a geometric distribution; at least 1.
    fn objects(&mut self) -> u64 {
        let u = self.stream.uniform();
        if self.last >= 1.0 {
            1
        } else {
            1 + libm::floor(libm::log1p(-u) / libm::log1p(-self.last)) as u64
        }
    }
}

impl Application for Www {
    fn next(&self) -> Ps {
        self.next
    }

    fn write(&mut self) -> u64 {
        self.next = Ps::NEVER;
        let count = if self.pipelined { self.left } else { 1 };
        self.left -= count;
        (0..count).map(|_| self.sizes.draw(&mut self.stream)).sum()
    }

    fn on_all_acknowledged(&mut self, now: Ps) {
        if self.next.is_scheduled() {
            return;
        }
        if self.left == 0 {
            self.think(now)
        } else {
            self.next = now.saturating_add(self.server_time)
        }
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;

    fn config() -> WwwConfig {
        serde_json::from_str(r#"{"think_time": "400 ms", "server_time": "10 ms"}"#).unwrap()
    }

    fn client(config: &WwwConfig) -> Www {
        let Demand::Writes(Writes::Www(client)) =
            config.demand(Ps::from_ms(3), Stream::new(1, "a", "source"))
        else {
            panic!("no client")
        };
        client
    }

    #[test]
    fn an_object_follows_the_one_before_and_a_page_a_think_time() {
        let mut client = client(&config());
        let (mut now, mut thinks, mut objects) = (Ps::from_ms(3), Vec::new(), 0u64);
        while thinks.len() < 20_000 {
            let at = client.next();
            let gap = at - now;
            objects += 1;
            if gap > Ps::from_ms(10) {
                thinks.push(gap - Ps::from_ms(10));
            }
            assert!(client.write() > 0 && !client.next().is_scheduled());
            now = at + Ps::from_ms(50);
            client.on_all_acknowledged(now);
            // An acknowledgement that arrives while the client thinks has no effect.
            let next = client.next();
            client.on_all_acknowledged(now + Ps::from_ms(1));
            assert_eq!(client.next(), next);
        }
        let mean =
            thinks.iter().map(|think| think.as_secs_f64()).sum::<f64>() / thinks.len() as f64;
        // The standard errors are 0.7 % and 0.6 %.
        assert!((mean / 0.4 - 1.0).abs() < 0.03, "{mean}");
        let pages = objects as f64 / thinks.len() as f64;
        assert!((pages / 3.0 - 1.0).abs() < 0.03, "{pages}");
    }

    #[test]
    fn a_pipelined_page_is_one_burst() {
        let one = WwwConfig {
            pipelined: true,
            objects: 4.0,
            ..config()
        };
        let mut client = client(&one);
        let mut bytes = 0.0;
        for page in 0..20_000u64 {
            bytes += client.write() as f64;
            assert_eq!(client.left, 0);
            client.on_all_acknowledged(Ps::from_s(page));
        }
        // Four objects of 14.6 kB; the largest class causes a standard error of 2.4 %.
        assert!(
            (bytes / 20_000.0 / (4.0 * 14_566.0) - 1.0).abs() < 0.08,
            "{}",
            bytes / 20_000.0
        );
    }

    #[test]
    fn impossible_clients_are_refused() {
        let field = |change: fn(&mut WwwConfig)| {
            let mut config = config();
            change(&mut config);
            config.check().map(|(field, _)| field)
        };
        assert_eq!(field(|_| ()), None);
        assert_eq!(field(|c| c.pareto_shape = Some(1.2)), None);
        assert_eq!(field(|c| c.think_time = Ps::ZERO), Some("think_time"));
        assert_eq!(field(|c| c.objects = 0.5), Some("objects"));
        assert_eq!(field(|c| c.objects = f64::NAN), Some("objects"));
        assert_eq!(field(|c| c.smallest = Some(Bytes(9))), Some("smallest"));
        assert_eq!(field(|c| c.largest = Some(Bytes(9))), Some("largest"));
        assert_eq!(field(|c| c.pareto_shape = Some(0.0)), Some("pareto_shape"));
        assert_eq!(
            field(|c| (c.pareto_shape, c.largest) = (Some(1.0), Some(Bytes(1_024)))),
            Some("largest")
        );
        assert_eq!(
            field(|c| (c.pareto_shape, c.smallest) = (Some(1.0), Some(Bytes(0)))),
            Some("smallest")
        );
    }
}
