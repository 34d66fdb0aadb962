//! What those see who look after the house: how it is set up, where bytes lie, when it looks for
//! work, and whether it is open.

mod maintenance;
mod places;
mod schedules;
mod settings;

pub use maintenance::{ClosedPage, MaintenancePage, closed_page, maintenance_page};
pub use places::{OptionLine, ReplicaPanel, StoragePage, storage_page};
pub use schedules::{ScheduleLine, SchedulesPage, schedules_page};
pub use settings::{SettingRow, SettingsPage, SettingsSection, settings_page};
