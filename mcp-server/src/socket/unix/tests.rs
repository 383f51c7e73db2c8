//! The socket's file: what it replaces, what it leaves alone, and when it goes.

use super::*;

/// A directory of one's own, removed when it is dropped.
struct Place(PathBuf);

impl Place {
    fn new() -> Self {
        static MADE: AtomicU32 = AtomicU32::new(0);
        let number = MADE.fetch_add(1, Ordering::Relaxed);
        let name = format!("mcp-unix-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        fs::create_dir(&path).unwrap();
        Self(path)
    }

    fn socket(&self) -> PathBuf {
        self.0.join("s")
    }

    fn files(&self) -> usize {
        fs::read_dir(&self.0).unwrap().count()
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _gone = fs::remove_dir_all(&self.0);
    }
}

#[tokio::test]
async fn the_file_has_its_permissions_and_goes_with_the_server() {
    let place = Place::new();
    for mode in [0o600, 0o660] {
        let server = Unix::bind(&place.socket(), mode).await.unwrap();
        let metadata = fs::metadata(place.socket()).unwrap();
        assert_eq!(metadata.permissions().mode() & 0o777, mode);
        assert!(UnixStream::connect(place.socket()).await.is_ok());
        drop(server);
        assert_eq!(place.files(), 0);
    }
}

#[tokio::test]
async fn a_file_that_a_dead_server_left_is_replaced() {
    let place = Place::new();
    drop(std::os::unix::net::UnixListener::bind(place.socket()).unwrap());
    assert_eq!(place.files(), 1);
    let _server = Unix::bind(&place.socket(), 0o600).await.unwrap();
    assert!(UnixStream::connect(place.socket()).await.is_ok());
    assert_eq!(place.files(), 1);
}

#[tokio::test]
async fn a_living_server_and_what_is_no_socket_are_left_alone() {
    let place = Place::new();
    let check = async |kind, expected: &str| {
        let error = Unix::bind(&place.socket(), 0o600).await.unwrap_err();
        assert_eq!(error.kind(), kind, "{error}");
        assert!(error.to_string().contains(expected), "{error}");
        assert_eq!(place.files(), 1);
    };
    let first = Unix::bind(&place.socket(), 0o600).await.unwrap();
    check(io::ErrorKind::AddrInUse, "another server listens on").await;
    assert!(UnixStream::connect(place.socket()).await.is_ok());
    drop(first);
    fs::write(place.socket(), "text").unwrap();
    check(io::ErrorKind::AlreadyExists, "is no socket").await;
    assert_eq!(fs::read(place.socket()).unwrap(), b"text");
}

#[tokio::test]
async fn a_file_that_another_server_has_put_there_stays() {
    let place = Place::new();
    let first = Unix::bind(&place.socket(), 0o600).await.unwrap();
    fs::remove_file(place.socket()).unwrap();
    let _second = Unix::bind(&place.socket(), 0o600).await.unwrap();
    drop(first);
    assert!(UnixStream::connect(place.socket()).await.is_ok());
}

#[tokio::test]
async fn a_directory_that_is_not_there_is_named() {
    let error = Unix::bind(Path::new("/no/such/place/s"), 0o600)
        .await
        .unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::NotFound);
    assert!(error.to_string().contains("/no/such/place/s"), "{error}");
}
