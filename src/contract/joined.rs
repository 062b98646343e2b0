//! Lists of what is declared in several places, as one.

/// How many there are in some lists.
pub const fn count<T>(lists: &[&[T]]) -> usize {
    let (mut count, mut list) = (0, 0);
    while list < lists.len() {
        count += lists[list].len();
        list += 1;
    }
    count
}

/// What is in some lists, of which the first is not empty: `N` in all.
pub const fn joined<T: Copy, const N: usize>(lists: &[&[T]]) -> [T; N] {
    let mut joined = [lists[0][0]; N];
    let (mut list, mut at, mut place) = (0, 0, 0);
    while place < N {
        if at < lists[list].len() {
            joined[place] = lists[list][at];
            (at, place) = (at + 1, place + 1);
        } else {
            (list, at) = (list + 1, 0);
        }
    }
    joined
}
