//! Long load on our client and our server together, over a network that breaks by a seed; `cargo xtask soak` runs it.
//!
//! Every request must end, within its deadline, in the right answer, or in an error that a fault explains; no call may
//! run twice, or run although its error says that it did not. In the end no memory, task, file descriptor or child may
//! be left over.

#![expect(clippy::print_stdout, reason = "it is a command")]

mod cell;
mod child;
mod ledger;
mod links;
mod plan;
mod report;
mod tools;
mod watch;

use std::{process::ExitCode, sync::Arc};

use mcp_transport::{Clock as _, clock::SystemClock};
use tokio::task::JoinSet;

use crate::{
    cell::Cell,
    ledger::Ledger,
    links::Links,
    plan::Plan,
    report::Report,
    watch::{Counts, Memory, settled},
};

fn main() -> ExitCode {
    let mut args: Vec<String> = std::env::args().skip(1).collect();
    if args.first().is_some_and(|first| first == child::FLAG) {
        return child::main(&args.split_off(1));
    }
    let plan = match Plan::parse(&args) {
        Ok(plan) => plan,
        Err(problem) => {
            println!("soak: {problem}\n{}", plan::USAGE);
            return ExitCode::from(2);
        }
    };
    if Counts::now(0).is_none() {
        println!("soak: what a process holds is read from /proc, which this system does not have");
        return ExitCode::from(2);
    }
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build();
    match runtime {
        Ok(runtime) => runtime.block_on(soak(plan)),
        Err(error) => {
            println!("soak: no runtime: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Runs the whole plan and judges it.
async fn soak(plan: Plan) -> ExitCode {
    println!(
        "soak {}: {} requests of {} clients, seed {}",
        plan.transport, plan.requests, plan.cells, plan.seed
    );
    let plan = Arc::new(plan);
    // What a process opens once and keeps is open after this.
    run(&Arc::new(plan.warm_up())).await;
    let before = settled(None).await;
    let begun = SystemClock.now();
    let mut report = run(&plan).await;
    report.took = SystemClock.now().saturating_duration_since(begun);
    report.before = before;
    report.after = settled(Some(before)).await;
    println!("{report}");
    let problems = report.problems(&plan);
    for problem in &problems {
        println!("FAILED: {problem}");
    }
    if problems.is_empty() {
        println!("ok");
        ExitCode::SUCCESS
    } else {
        println!("soak: try it again with `--seed {}`", plan.seed);
        ExitCode::FAILURE
    }
}

/// Makes the server, lets all clients work, and takes everything down again.
async fn run(plan: &Arc<Plan>) -> Report {
    let ledger = Arc::new(Ledger::new(plan.requests));
    let memory = Arc::new(Memory::new(plan.requests));
    let links = match Links::open(plan, &ledger).await {
        Ok(links) => Arc::new(links),
        Err(error) => {
            return Report::broken(format!("the server does not start: {error}"));
        }
    };
    let mut cells = JoinSet::new();
    for number in 0..plan.cells {
        let cell = Cell::new(
            number,
            Arc::clone(plan),
            Arc::clone(&ledger),
            Arc::clone(&links),
            Arc::clone(&memory),
        );
        #[expect(clippy::disallowed_methods, reason = "the set is joined below")]
        cells.spawn(cell.run());
    }
    let mut report = Report::default();
    while let Some(ran) = cells.join_next().await {
        match ran {
            Ok(told) => report.add(told),
            Err(error) => report.wrong(format!("a client's task died: {error}")),
        }
    }
    report.faults = links.faults();
    if let Some(links) = Arc::into_inner(links)
        && let Err(error) = links.close(&ledger).await
    {
        report.wrong(error);
    }
    report.judge(&ledger);
    report.memory = memory.medians();
    report
}
