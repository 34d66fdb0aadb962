//! How the house is set up, and looking after it.

use crate::desk::{MaintenanceTold, ScheduleRow, Settings, StorageTold};
use crate::http::contract::operation::{Operation, get, post};
use crate::http::keeping::MaintenanceWish;

pub(super) fn operations() -> Vec<Operation> {
    vec![
        get("/maintenance", "Whether the house is closed, and what people are told.")
            .gives::<MaintenanceTold>(),
        post("/maintenance", "Closes the house to all but administrators, or opens it again.")
            .takes::<MaintenanceWish>()
            .gives::<MaintenanceTold>(),
        get("/settings", "Every setting, and where its value came from.").gives::<Settings>(),
        get("/storage", "The replicas and storage options.").gives::<StorageTold>(),
        get("/schedules", "The sweeps, and when they look.").gives::<Vec<ScheduleRow>>(),
        post("/schedules/{name}/run", "Has a sweep look at once.").gives::<ScheduleRow>(),
    ]
}
