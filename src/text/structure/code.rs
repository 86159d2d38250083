//! Lines of programs in plain text: commands after a prompt, and indented code as in Markdown. They are not text.
//!
//! Indented lines may also be a letter's paragraph, a verse or a list: they are code where none of them reads like a sentence and half of them have
//! something that only programs have.

use super::labels::label;
use super::lines::{Form, Line, ends_sentence};

/// Columns of indent from which lines after a blank one can be code.
const INDENT: usize = 4;

/// Words of a line that reads like a sentence.
const SENTENCE: usize = 5;

/// Commands with which lines of a shell begin; none of them begins a sentence in lower case.
#[rustfmt::skip]
const COMMANDS: &[&str] = &[
    "apt", "apt-get", "brew", "bundle", "cargo", "cd", "chmod", "chown", "cmake", "composer", "conda", "cp", "curl", "dnf", "docker", "docker-compose", "echo",
    "export", "gem", "gcc", "git", "go", "gradle", "grep", "helm", "java", "javac", "kubectl", "ln", "ls", "make", "mkdir", "mv", "mvn", "node", "npm", "npx",
    "pacman", "php", "pip", "pip3", "pnpm", "podman", "python", "python3", "rm", "rsync", "ruby", "rustup", "scp", "sed", "ssh", "sudo", "systemctl", "tar",
    "touch", "unzip", "wget", "yarn", "yum",
];

/// Commands that are also words with which a sentence or an item begins.
const WORDS: [&str; 8] = ["echo", "export", "go", "make", "node", "touch", "gem", "bundle"];

/// How lines of programs begin.
#[rustfmt::skip]
const STARTS: &[&str] = &[
    "#include ", "#define ", "#!/", "import ", "from ", "def ", "class ", "return ", "const ", "let ", "var ", "fn ", "pub ", "func ", "function ", "public ",
    "private ", "static ", "void ", "int ", "if (", "if(", "for (", "for(", "while (", "while(", "} else", "else {", "else:", "try:", "try {", "@", "print(", "use ",
];

/// What stands in lines of programs.
const SIGNS: [&str; 10] = ["()", " = ", " += ", " == ", " != ", " => ", "->", "::", " && ", " := "];

/// Finds prompts and indented code.
pub fn mark(text: &str, lines: &mut [Line]) {
    for line in lines.iter_mut().filter(|line| line.form == Form::Unknown) {
        if is_prompt(line.of(text)) {
            line.set(Form::Structured, Vec::new());
        }
    }
    let mut index = 0;
    // Whether the paragraph before is an item of a list, whose further paragraphs are indented, and whether it is code.
    let (mut in_list, mut after_code) = (false, false);
    while index < lines.len() {
        let content = lines[index].of(text);
        if lines[index].is_blank(text) {
            index += 1;
            continue;
        }
        let after_blank = index.checked_sub(1).is_none_or(|before| lines[before].is_blank(text));
        if !after_blank || lines[index].form != Form::Unknown || indent(content) < INDENT {
            let is_item = label(content.trim_start()).is_some_and(|label| label.is_certain);
            in_list = is_item || in_list && (indent(content) > 0 || !after_blank);
            after_code = false;
            index += 1;
            continue;
        }
        let is_inside = |line: &&Line| line.is_open(text) && indent(line.of(text)) >= INDENT;
        let end = index + lines[index..].iter().take_while(is_inside).count();
        after_code = is_code(text, &lines[index..end], in_list, after_code);
        if after_code {
            lines[index..end].iter_mut().for_each(|line| line.set(Form::Structured, Vec::new()));
        }
        index = end;
    }
}

/// Columns before the text of a line, with tabs of four.
fn indent(line: &str) -> usize {
    let spaces = line.bytes().take_while(|b| matches!(b, b' ' | b'\t'));
    spaces.fold(0, |column, b| if b == b'\t' { column / INDENT * INDENT + INDENT } else { column + 1 })
}

/// Whether indented lines are code; after other code they need no sign of it.
fn is_code(text: &str, lines: &[Line], in_list: bool, after_code: bool) -> bool {
    let contents = lines.iter().map(|line| line.of(text).trim());
    // What a comment says tells nothing.
    let is_comment = |line: &str| {
        line.starts_with("# ") || line.starts_with("//") || line.starts_with("/*") || line.starts_with("* ")
    };
    let (mut of_program, mut all) = (0, 0);
    for line in contents.clone().filter(|line| !is_comment(line)) {
        if reads_like_prose(line) {
            return false;
        }
        all += 1;
        of_program += usize::from(is_of_program(line));
    }
    let is_said = |line: &str| line.starts_with(char::is_uppercase) && ends_sentence(line);
    after_code && !contents.clone().any(is_said)
        || of_program > 0 && of_program * 2 >= all && (!in_list || of_program == all)
}

fn reads_like_prose(line: &str) -> bool {
    let is_word = |word: &&str| word.trim_matches(|c: char| c.is_ascii_punctuation()).chars().all(char::is_alphabetic);
    let words = line.split_whitespace().filter(is_word).count();
    let letter_before = line.trim_end_matches(['.', '!', '?', ':', '"', ')']).ends_with(char::is_alphabetic);
    words >= SENTENCE
        && ends_sentence(line)
        && letter_before
        && !line.ends_with("):")
        && line.starts_with(char::is_uppercase)
        || words >= 2 * SENTENCE
}

/// Whether a line has what only programs have.
fn is_of_program(line: &str) -> bool {
    // Tables of options, tags and fields have their own rules.
    if line.contains("  ") || line.starts_with(['<', '|', '-', '*', '+', '"', '\'', '>']) && !line.starts_with("--") {
        return false;
    }
    let first = line.split_whitespace().next().unwrap_or_default();
    let words = line.split_whitespace().count();
    let is_command = COMMANDS.contains(&first)
        && words > 1
        && !ends_sentence(line)
        && (!WORDS.contains(&first) || words == 2 || line.contains(['-', '/', '$', '"', '=']));
    let ends = line.ends_with([';', '{', '}']) || line.ends_with("):") || line.ends_with(" \\");
    let is_start = STARTS.iter().any(|start| line.starts_with(start))
        && !ends_sentence(line)
        && line.contains(|c: char| c.is_ascii_punctuation());
    is_command || ends || is_start || SIGNS.iter().any(|sign| line.contains(sign)) || has_call(line)
}

/// `name(…)`, without a space: not "file(s)" or "note(1)".
fn has_call(line: &str) -> bool {
    line.match_indices('(').any(|(at, _)| {
        let inside = line[at + 1..].find(')').map(|end| &line[at + 1..at + 1 + end]);
        let name = line[..at].trim_end_matches(|c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.'));
        let name = &line[name.len()..at];
        name.len() > 1
            && name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && inside.is_some_and(|inside| inside.len() > 2 && !inside.bytes().all(|b| b.is_ascii_digit()))
    })
}

/// A command after a shell's prompt, or code after Python's: "$ ls", "me@host:~$ ls", "PS C:\> dir", ">>> print(x)".
fn is_prompt(line: &str) -> bool {
    let content = line.trim_start();
    if let Some(code) = content.strip_prefix(">>> ") {
        return is_of_program(code) || has_call(code);
    }
    if let Some(command) = content.strip_prefix("$ ") {
        let is_command = command.starts_with(|c: char| c.is_ascii_lowercase() || matches!(c, '.' | '/' | '~'));
        let is_sentence = ends_sentence(command) && command.split_whitespace().count() >= SENTENCE;
        return is_command && !is_sentence;
    }
    if let Some(folder) = content.strip_prefix("PS ") {
        return is_drive(folder) && folder.contains('>');
    }
    if is_drive(content) {
        let folder = &content[..content.find(['>', ' ']).unwrap_or(0)];
        return !folder.is_empty() && content[folder.len()..].starts_with('>');
    }
    // "[me@host notes]$ " and "me@host:~/notes$ "
    let Some(sign) = content.find(['$', '#']).filter(|&sign| content[sign + 1..].starts_with(' ')) else {
        return false;
    };
    let place = &content[..sign];
    let Some((user, host)) = place.split_once('@') else { return false };
    let is_name = |name: &str| name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.'));
    match user.strip_prefix('[') {
        Some(user) => host.ends_with(']') && is_name(user),
        None => {
            is_name(user) && host.split_once(':').is_some_and(|(host, folder)| is_name(host) && !folder.contains(' '))
        }
    }
}

fn is_drive(text: &str) -> bool {
    matches!(text.as_bytes(), [letter, b':', b'\\', ..] if letter.is_ascii_alphabetic())
}

#[cfg(test)]
mod tests {
    use super::mark;
    use crate::text::structure::lines::left_open;

    fn open(text: &str) -> Vec<&str> {
        left_open(text, mark)
    }

    #[test]
    fn prompts() {
        for text in [
            "$ ls -la /home",
            "$ sudo apt install tool",
            "me@host:~/notes$ cat list.txt",
            "root@host:/# reboot now",
            "[me@host notes]$ ls",
            "PS C:\\Users\\me> Get-ChildItem",
            "C:\\Users\\me>dir",
            ">>> print(\"hello world\")",
            ">>> total = 5",
        ] {
            assert_eq!(open(text), [""; 0], "{text}");
        }
        for text in [
            "$ 5 is enough",
            "$ signs are for money and not for you.",
            ">>> he wrote to me",
            "mail me@host: it costs $ 5",
            "C:\\Users is a folder",
            "PS: come home",
        ] {
            assert_eq!(open(text), [text], "{text}");
        }
    }

    #[test]
    fn indented_code() {
        for text in [
            "    git clone https://example.org/tool.git\n    cd tool\n    make install",
            "    Listening on port 8080\n    for item in list: print(item)",
            "\tlet a = 1;\n\n\tcall(a);",
            "    # Say hello to all of the people in the world.\n    print(\"hello\")",
            "    if (x > 5) {\n        return true;\n    }",
            "    npm install --save-dev tool",
        ] {
            let whole = format!("Do this:\n\n{text}\n\nThat is all.");
            assert_eq!(open(&whole), ["Do this:", "That is all."], "{text}");
        }
        for text in [
            "    The house on the hill was old (and it stood empty).",
            "    This is a paragraph as in an old letter. It goes on for\n    some time, and a reader would like to read it.",
            "    Roses are red\n    and violets are blue",
            "    Ann Lee\n    Old Street 5",
            "    -v  be verbose\n    -q  be quiet",
            "    title: Old trees",
            "    <p>The house</p>",
            "    \"heading\": \"Old town\",",
            "    make a cake for all of us",
        ] {
            let whole = format!("Look:\n\n{text}");
            assert_eq!(open(&whole)[1..], text.lines().collect::<Vec<_>>(), "{text}");
        }
        assert_eq!(open("- an item\n\n    cd tool\n    and more of it").len(), 3);
        assert_eq!(open("    make all -j\n\n    This makes it."), ["    This makes it."]);
        assert_eq!(open("no blank line\n    let a = 1;").len(), 2);
    }
}
