//! How often a part of a value is looked at, by its depth.

use std::collections::{BTreeMap, HashMap};

use super::{
    Refused,
    graph::{Graph, Id},
};

/// How much is added up to weigh a schema.
const MAX_TERMS: usize = 200_000;
/// How deep a value can be.
const DEEPEST: usize = 128;

/// The schemas that are applied to one part of a value, and how often each is.
type Terms = Vec<(Id, u64)>;

/// By depth: how often a part is looked at, and how many schemas are then at work within each other, at most.
pub(super) fn by_depth(graph: &Graph<'_>) -> Result<(Vec<u64>, Vec<u64>), Refused> {
    let here = Here::of(graph)?;
    let steps = steps(graph, &here)?;
    let (mut looks, mut nested): (Vec<u64>, Vec<u64>) = (here.looks(), here.heights.clone());
    let (mut by_depth, mut nested_by_depth) = (vec![looks[0]], vec![nested[0]]);
    for _ in 0..DEEPEST {
        let mut deeper = (vec![0; looks.len()], here.heights.clone());
        for (&id, steps) in &steps {
            for terms in steps {
                let sum = terms.iter().fold(0_u64, |sum, &(to, times)| {
                    sum.saturating_add(looks[to].saturating_mul(times))
                });
                deeper.0[id] = deeper.0[id].max(sum);
                let most = terms.iter().map(|&(to, _)| nested[to]).max().unwrap_or(0);
                let most = here.heights[id].saturating_add(most);
                deeper.1[id] = deeper.1[id].max(most);
            }
        }
        if deeper == (looks.clone(), nested.clone()) {
            break;
        }
        (looks, nested) = deeper;
        by_depth.push(looks[0]);
        nested_by_depth.push(nested[0]);
    }
    Ok((by_depth, nested_by_depth))
}

/// What is applied to the same value.
struct Here {
    /// By each schema, itself included.
    terms: Vec<Terms>,
    /// How many within each other.
    heights: Vec<u64>,
}

impl Here {
    fn of(graph: &Graph<'_>) -> Result<Self, Refused> {
        let mut terms: Vec<Terms> = vec![Vec::new(); graph.nodes.len()];
        let mut heights = vec![0; graph.nodes.len()];
        let mut budget = MAX_TERMS;
        for id in ordered(graph)? {
            let node = &graph.nodes[id];
            let mut sum = HashMap::from([(id, 1_u64)]);
            for &to in &node.here {
                budget = budget
                    .checked_sub(terms[to].len())
                    .ok_or(Refused::TooMuch)?;
                for &(term, times) in &terms[to] {
                    let all = sum.entry(term).or_default();
                    *all = all.saturating_add(times);
                }
            }
            // It looks at its parts to learn which of them were looked at, and then at those.
            let times = if node.again { 3 } else { 1 };
            let sum = sum
                .into_iter()
                .map(|(id, all)| (id, all.saturating_mul(times)));
            terms[id] = sum.collect();
            let below = node.here.iter().map(|&to| heights[to]).max().unwrap_or(0);
            heights[id] = below + 1;
        }
        Ok(Self { terms, heights })
    }

    fn looks(&self) -> Vec<u64> {
        let sum = |terms: &Terms| {
            terms
                .iter()
                .fold(0_u64, |sum, (_, times)| sum.saturating_add(*times))
        };
        self.terms.iter().map(sum).collect()
    }
}

/// The schemas, each after those that it applies to the same value.
fn ordered(graph: &Graph<'_>) -> Result<Vec<Id>, Refused> {
    let mut waits: Vec<usize> = graph.nodes.iter().map(|node| node.here.len()).collect();
    let mut before: Vec<Vec<Id>> = vec![Vec::new(); graph.nodes.len()];
    for (id, node) in graph.nodes.iter().enumerate() {
        node.here.iter().for_each(|&to| before[to].push(id));
    }
    let mut order: Vec<Id> = (0..graph.nodes.len())
        .filter(|&id| waits[id] == 0)
        .collect();
    let mut at = 0;
    while let Some(&id) = order.get(at) {
        at += 1;
        for &from in &before[id] {
            waits[from] -= 1;
            if waits[from] == 0 {
                order.push(from);
            }
        }
    }
    match waits.iter().position(|&waits| waits > 0) {
        None => Ok(order),
        Some(id) => Err(Refused::Circle(graph.place(id))),
    }
}

/// For the root, and whatever is applied to parts: each way into a part, and what is applied there.
fn steps(graph: &Graph<'_>, here: &Here) -> Result<BTreeMap<Id, Vec<Terms>>, Refused> {
    let mut steps = BTreeMap::new();
    let mut left = vec![0];
    let mut budget = MAX_TERMS;
    while let Some(id) = left.pop() {
        if steps.contains_key(&id) {
            continue;
        }
        let ways = ways(graph, &here.terms[id], &mut budget)?;
        left.extend(ways.iter().flatten().map(|&(to, _)| to));
        steps.insert(id, ways);
    }
    Ok(steps)
}

fn ways(graph: &Graph<'_>, terms: &Terms, budget: &mut usize) -> Result<Vec<Terms>, Refused> {
    let nodes = || terms.iter().map(|&(id, times)| (&graph.nodes[id], times));
    let mut ways = Vec::new();
    let mut add = |way: Terms, looked_at: usize| {
        *budget = budget.checked_sub(looked_at).ok_or(Refused::TooMuch)?;
        if !way.is_empty() {
            ways.push(way);
        }
        Ok(())
    };
    let mut by_name: BTreeMap<&str, Terms> = BTreeMap::new();
    for (node, times) in nodes() {
        for (&name, &to) in &node.named {
            by_name.entry(name).or_default().push((to, times));
        }
    }
    // Those that say something of members that they do not name.
    let open: Vec<_> = nodes()
        .filter(|(node, _)| node.other.is_some() || !node.member.is_empty())
        .collect();
    let unnamed = [("", Terms::new(), false)];
    let named = by_name.into_iter().map(|(name, way)| (name, way, true));
    for (name, mut way, is_named) in named.chain(unnamed) {
        for (node, times) in &open {
            let knows = is_named && node.named.contains_key(name);
            let other = node.other.filter(|_| !knows);
            let applied = other.into_iter().chain(node.member.iter().copied());
            way.extend(applied.map(|to| (to, *times)));
        }
        let looked_at = open.len() + way.len();
        add(way, looked_at)?;
    }
    let listed: Vec<_> = nodes()
        .filter(|(node, _)| !node.first.is_empty() || node.rest.is_some() || !node.item.is_empty())
        .collect();
    let most = listed.iter().map(|(node, _)| node.first.len()).max();
    for index in 0..=most.unwrap_or(0) {
        let mut way = Vec::new();
        for (node, times) in &listed {
            let item = node.first.get(index).copied().or(node.rest);
            let applied = item.into_iter().chain(node.item.iter().copied());
            way.extend(applied.map(|to| (to, *times)));
        }
        let looked_at = listed.len() + way.len();
        add(way, looked_at)?;
    }
    Ok(ways)
}
