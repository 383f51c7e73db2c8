//! The places of those who listen at one host: how many there may be, and who is to be told when it closes.

use std::collections::HashMap;

/// Places, with a handle `H` of each who has one.
#[derive(Debug)]
pub(crate) struct Places<H> {
    most: usize,
    most_of_principal: usize,
    taken: HashMap<Place, (Option<Box<str>>, H)>,
    principals: HashMap<Box<str>, usize>,
    next: u64,
    is_closed: bool,
}

/// One place; a number that is not given twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Place(u64);

/// The limit that is reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Reached(pub(crate) usize);

impl<H: Clone> Places<H> {
    /// So many places, and so many for one principal. Who has no principal is counted with all alone.
    pub(crate) fn new(most: usize, most_of_principal: usize) -> Self {
        Self {
            most,
            most_of_principal,
            taken: HashMap::new(),
            principals: HashMap::new(),
            next: 0,
            is_closed: false,
        }
    }

    /// Takes a place, which is nobody's yet.
    ///
    /// # Errors
    /// The limit that is reached; no place was taken.
    pub(crate) fn take(&mut self, handle: H) -> Result<Place, Reached> {
        if self.taken.len() >= self.most {
            return Err(Reached(self.most));
        }
        let place = Place(self.next);
        self.next += 1;
        self.taken.insert(place, (None, handle));
        Ok(place)
    }

    /// Says whose place it is, once that is known. It stays so.
    ///
    /// # Errors
    /// The limit that is reached; the place is still nobody's.
    pub(crate) fn name(&mut self, place: Place, principal: &str) -> Result<(), Reached> {
        let Some((name @ None, _)) = self.taken.get_mut(&place) else {
            return Ok(());
        };
        let taken = self.principals.get(principal).copied().unwrap_or_default();
        if taken >= self.most_of_principal {
            return Err(Reached(self.most_of_principal));
        }
        self.principals.insert(principal.into(), taken + 1);
        *name = Some(principal.into());
        Ok(())
    }

    /// Gives a place back.
    pub(crate) fn leave(&mut self, place: Place) {
        let Some((Some(principal), _)) = self.taken.remove(&place) else {
            return;
        };
        if let Some(taken) = self.principals.get_mut(&principal) {
            *taken -= 1;
            if *taken == 0 {
                self.principals.remove(&principal);
            }
        }
    }

    /// The host closes: those who have a place are to be told, and so are those who come later.
    pub(crate) fn close(&mut self) -> Vec<H> {
        self.is_closed = true;
        let handles = self.taken.values();
        handles.map(|(_, handle)| handle.clone()).collect()
    }

    /// Whether the host closes.
    pub(crate) fn is_closed(&self) -> bool {
        self.is_closed
    }
}
