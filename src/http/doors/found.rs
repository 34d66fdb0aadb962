//! The door of an address that was asked for, looked up in the table.

use axum::http::Method;

use super::{DOORS, Door};

/// The door of an address, and whether the address is known at all.
pub(in crate::http) fn door(method: &Method, path: &str) -> Result<Door, Unmapped> {
    let asked = if method == Method::HEAD { "GET" } else { method.as_str() };
    let mut here = DOORS.iter().filter(|(_, known, _)| *known == path).peekable();
    if here.peek().is_none() {
        return Err(Unmapped::Nowhere);
    }
    here.find(|(method, ..)| *method == asked).map(|(.., door)| *door).ok_or(Unmapped::OtherMethod)
}

/// What can be asked for at the end of an address whose tail is an identifier, and with which method.
const WISHES: [(&str, &str); 3] =
    [("/restore", "POST"), ("/check", "POST"), ("/replacement", "PUT")];

/// The methods of an address, as the header `Allow` names them: by the table, and where one address
/// takes all that begins alike, by how the one that was asked for ends.
pub(in crate::http) fn methods(path: &str, asked: &str) -> String {
    let here = DOORS.iter().filter(|(_, known, _)| *known == path).map(|(method, ..)| *method);
    let wish = WISHES.iter().find(|(wish, _)| asked.ends_with(wish));
    let is_for_this = |method: &str| match wish {
        Some((_, wished)) => method == *wished,
        None => WISHES.iter().all(|(_, wished)| method != *wished),
    };
    let here = here.filter(|method| !path.ends_with("{*which}") || is_for_this(method));
    let named =
        here.flat_map(|method| if method == "GET" { vec![method, "HEAD"] } else { vec![method] });
    named.collect::<Vec<_>>().join(", ")
}

/// Why there is no door.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::http) enum Unmapped {
    /// The address is not in the table.
    Nowhere,
    /// It is, with other methods.
    OtherMethod,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rights::Right::Read;
    use Door::Asks;

    #[test]
    fn every_address_stands_once() {
        for (index, (method, path, _)) in DOORS.iter().enumerate() {
            let again = DOORS[..index].iter().any(|it| (it.0, it.1) == (*method, *path));
            assert!(!again, "{method} {path}");
        }
    }

    #[test]
    fn what_is_not_in_the_table_is_no_door() {
        assert_eq!(door(&Method::GET, "/secret"), Err(Unmapped::Nowhere));
        assert_eq!(door(&Method::DELETE, "/objects"), Err(Unmapped::OtherMethod));
        assert_eq!(door(&Method::HEAD, "/objects"), Ok(Asks(Read)));
    }

    #[test]
    fn what_an_address_takes_is_told_by_the_table_and_by_its_end() {
        let one = "/api/v1/objects/{*which}";
        assert_eq!(methods("/api/v1/users", "/api/v1/users"), "GET, HEAD, POST");
        assert_eq!(methods(one, "/api/v1/objects/1"), "GET, HEAD");
        assert_eq!(methods(one, "/api/v1/objects/a.b/c/restore"), "POST");
        assert_eq!(methods("/api/v1/files/{*which}", "/api/v1/files/1"), "GET, HEAD");
        assert_eq!(methods("/api/v1/files/{*which}", "/api/v1/files/1/replacement"), "PUT");
    }
}
