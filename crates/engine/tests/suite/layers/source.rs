//! The uses of one module of the engine by another, read from the source.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// A path of names from the root of the engine.
type Names = Vec<String>;

/// A module: the paths that it writes, and the names that it hands out for items of others.
#[derive(Default)]
struct Module {
    written: Vec<Names>,
    handed_out: BTreeMap<String, Names>,
}

/// For each module of the engine, the other modules that it uses, by the paths in `use` and
/// elsewhere. A module that uses an item through a re-export counts as a user of the module that
/// defines the item. Tests and comments are left out. A call of a method names no module and does
/// not count.
pub fn uses() -> BTreeMap<String, BTreeSet<String>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    find_files(&root, &mut files);
    let names = files.iter().map(|file| (module_of(&root, file), file));
    let names: BTreeMap<Names, &PathBuf> = names.collect();
    let is_module = |path: &[String]| names.contains_key(path);
    let modules: BTreeMap<Names, Module> = names
        .iter()
        .map(|(name, file)| {
            let text = fs::read_to_string(file).expect("a file of the engine");
            (name.clone(), read(name, &text, &is_module))
        })
        .collect();
    let used = |name: &Names| {
        let written = modules[name].written.iter();
        written
            .map(|path| resolved(path, &modules))
            .filter(|module| module != name && !module.is_empty())
            .map(|module| module.join("::"))
            .collect()
    };
    let named = modules.keys().filter(|name| !name.is_empty());
    named.map(|name| (name.join("::"), used(name))).collect()
}

fn find_files(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder of the engine") {
        let path = entry.expect("an entry of a folder").path();
        if path.file_stem().is_some_and(|name| name == "tests") {
            continue;
        }
        if path.is_dir() {
            find_files(&path, files);
        } else {
            files.push(path);
        }
    }
}

/// The module of a file; empty for the root.
fn module_of(root: &Path, file: &Path) -> Names {
    let path = file
        .strip_prefix(root)
        .expect("a file below the root")
        .with_extension("");
    let names = path.iter().map(|name| name.to_string_lossy().into_owned());
    names
        .filter(|name| name != "mod" && name != "lib")
        .collect()
}

/// Reads a module from its text.
fn read(name: &Names, text: &str, is_module: &dyn Fn(&[String]) -> bool) -> Module {
    let own = |path: &str| absolute(name, path, is_module);
    let mut module = Module::default();
    let mut open: Option<(bool, String)> = None;
    let lines = text.lines().take_while(|line| *line != "#[cfg(test)]");
    for line in lines {
        let line = line.split("//").next().unwrap_or_default().trim();
        if open.is_none() {
            let (visibility, rest) = without_visibility(line);
            if let Some(tree) = rest.strip_prefix("use ") {
                open = Some((visibility, tree.to_string()));
            } else {
                module.written.extend(paths(rest).filter_map(own));
            }
        } else if let Some((_, tree)) = &mut open {
            tree.push_str(line);
        }
        if let Some((visibility, tree)) = open.take_if(|(_, tree)| tree.ends_with(';')) {
            for path in leaves(tree.trim_end_matches(';')) {
                let (path, alias) = path.split_once(" as ").unwrap_or((&path, ""));
                let Some(path) = own(path) else { continue };
                let handed_out = Some(alias).filter(|alias| !alias.is_empty());
                let handed_out = handed_out.or(path.last().map(String::as_str));
                if let Some(handed_out) = handed_out.filter(|_| visibility) {
                    module
                        .handed_out
                        .insert(handed_out.to_string(), path.clone());
                }
                module.written.push(path);
            }
        }
    }
    module
}

/// True if the line begins with `pub`, and the line behind its visibility.
fn without_visibility(line: &str) -> (bool, &str) {
    let Some(rest) = line.strip_prefix("pub") else {
        return (false, line);
    };
    if let Some(rest) = rest.strip_prefix('(') {
        (true, rest.split_once(") ").map_or(rest, |(_, rest)| rest))
    } else if let Some(rest) = rest.strip_prefix(' ') {
        (true, rest)
    } else {
        (false, line)
    }
}

/// The paths of a tree of uses.
fn leaves(tree: &str) -> Vec<String> {
    let tree = tree.trim();
    let Some((prefix, list)) = tree.split_once('{') else {
        return vec![tree.to_string()];
    };
    let list = list.strip_suffix('}').expect("a list of uses is closed");
    let (mut depth, mut parts) = (0, vec![String::new()]);
    for character in list.chars() {
        match character {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        match character {
            ',' if depth == 0 => parts.push(String::new()),
            _ => parts.last_mut().expect("a part").push(character),
        }
    }
    let parts = parts.iter().filter(|part| !part.trim().is_empty());
    parts
        .flat_map(|part| leaves(part))
        .map(|leaf| format!("{prefix}{leaf}"))
        .collect()
}

/// The paths in a line of code.
fn paths(line: &str) -> impl Iterator<Item = &str> {
    let words = line.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':'));
    words
        .map(|word| word.trim_matches(':'))
        .filter(|word| word.contains("::"))
}

/// The path from the root that `path` stands for in the module `name`; `None` if it begins with
/// another crate, a type or a name of the module's own.
fn absolute(name: &Names, path: &str, is_module: &dyn Fn(&[String]) -> bool) -> Option<Names> {
    let names: Names = path.trim().split("::").map(String::from).collect();
    let up = names.iter().take_while(|name| *name == "super").count();
    let (base, rest) = match names[0].as_str() {
        "crate" => (&[][..], &names[1..]),
        "super" => (&name[..name.len().checked_sub(up)?], &names[up..]),
        "self" => (&name[..], &names[1..]),
        _ => {
            let child = [name, &names[..1]].concat();
            return is_module(&child).then(|| [name, &names[..]].concat());
        }
    };
    Some([base, rest].concat())
}

/// The module that holds what a path leads to: the last module of the path, or the module from
/// which a module on the path re-exports the next name.
fn resolved(path: &[String], modules: &BTreeMap<Names, Module>) -> Names {
    let mut module = Names::new();
    for (index, name) in path.iter().enumerate() {
        let next = [&module[..], std::slice::from_ref(name)].concat();
        if modules.contains_key(&next) {
            module = next;
            continue;
        }
        let handed_out = modules[&module].handed_out.get(name);
        return match handed_out.filter(|other| other[..] != path[..=index]) {
            Some(other) => resolved(&[other, &path[index + 1..]].concat(), modules),
            None => module,
        };
    }
    module
}
