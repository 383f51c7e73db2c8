//! Which nodes of a graph lead back to themselves.

use super::node::worked;

/// For each node, whether a path of one step or more leads from it to itself. Each edge is followed twice.
pub(super) fn circular(edges: &[Vec<usize>]) -> Vec<bool> {
    let mut backwards = vec![Vec::new(); edges.len()];
    for (from, to) in edges.iter().enumerate() {
        to.iter().for_each(|to| backwards[*to].push(from));
    }
    // Kosaraju: against the edges, in the reverse of the order in which nodes were left, each walk is one component.
    let mut left = Vec::new();
    let mut seen = vec![false; edges.len()];
    for start in 0..edges.len() {
        walk(edges, start, &mut seen, &mut left);
    }
    let mut circular: Vec<bool> = edges
        .iter()
        .enumerate()
        .map(|(node, to)| to.contains(&node))
        .collect();
    let mut seen = vec![false; edges.len()];
    for start in left.into_iter().rev() {
        let mut component = Vec::new();
        walk(&backwards, start, &mut seen, &mut component);
        if component.len() > 1 {
            component.into_iter().for_each(|node| circular[node] = true);
        }
    }
    circular
}

/// Goes depth first from `start` to all that was not seen, and says in which order it left.
fn walk(edges: &[Vec<usize>], start: usize, seen: &mut [bool], left: &mut Vec<usize>) {
    if std::mem::replace(&mut seen[start], true) {
        return;
    }
    let mut path = vec![(start, edges[start].iter())];
    while let Some((node, ahead)) = path.last_mut() {
        worked(1);
        match ahead.find(|next| !seen[**next]) {
            Some(next) => {
                seen[*next] = true;
                path.push((*next, edges[*next].iter()));
            }
            None => {
                left.push(*node);
                path.pop();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::circular;

    #[test]
    fn only_what_leads_back_is_circular() {
        let check = |edges: &[&[usize]], expected: &[usize]| {
            let edges: Vec<Vec<usize>> = edges.iter().map(|to| to.to_vec()).collect();
            let found = circular(&edges).into_iter().enumerate();
            let found: Vec<usize> = found.filter(|(_, is)| *is).map(|(node, _)| node).collect();
            assert_eq!(found, expected, "{edges:?}");
        };
        check(&[], &[]);
        check(&[&[]], &[]);
        check(&[&[0]], &[0]);
        check(&[&[1], &[0]], &[0, 1]);
        // Between two circles, and behind one, nothing leads back.
        check(&[&[1, 2], &[0], &[3], &[3, 4], &[]], &[0, 1, 3]);
        check(&[&[1, 2], &[3], &[3], &[]], &[]);
        check(&[&[1], &[2], &[0, 3], &[4], &[3]], &[0, 1, 2, 3, 4]);
    }
}
