//! One page, one file: its value, its render function, its fragments.

mod account;
mod alerts;
mod assess;
mod confirm;
mod deletion;
mod deposits;
mod factor;
mod fixity;
mod fixity_plot;
mod held;
mod help;
mod house;
mod item;
mod item_history;
mod item_steps;
mod items;
mod items_filter;
mod keeping;
mod needs;
mod overview;
mod own;
mod own_overview;
mod people;
mod problem;
mod queues;
mod replicas;
mod reports;
mod research;
mod restorations;
mod search;

pub use account::{
    CodePage, EmailPage, ForgottenPage, PasswordPage, SignInPage, WelcomePage, code_page,
    email_page, forgotten_page, password_page, sign_in_page, welcome_page,
};
pub use alerts::{
    AlertFilter, AlertLine, AlertPage, AlertsPage, SentLine, alert_page, alerts_page,
};
pub use assess::*;
pub use confirm::{ConfirmPage, HiddenField, confirm_page};
pub use deletion::{
    AskDeletionPage, DeletionFilter, DeletionLine, DeletionOffer, DeletionPage, DeletionPartLine,
    DeletionsPage, Verdict, ask_deletion_page, deletion_fragment, deletion_page, deletions_page,
};
pub use deposits::{AreaPanel, DepositRow, DepositsPage, deposits_fragment, deposits_page};
pub use factor::{FactorPage, PendingFactor, factor_page};
pub use fixity::{CheckPanel, FixityPage, UnsoundLine, fixity_fragment, fixity_page};
pub use fixity_plot::AgeBar;
pub use held::{
    CheckWish, CopyLine, EventChoices, EventFilter, EventLine, EventPage, EventsPage, FileFilter,
    FileLine, FilePage, FileVersionRow, FilesPage, FolderLine, FolderView, FormatBar, FoundFile,
    FoundFiles, LostVersion, ObjectChoices, ObjectFilter, ObjectPage, ObjectRow, ObjectsPage,
    ReplaceForm, RestoreWish, Safety, TagGroup, TagRow, VersionRow, event_page, events_page,
    file_page, files_page, object_page, object_path, objects_page,
};
pub(crate) use help::help_on;
pub use help::{accessibility_page, help_page};
pub use house::{House, SweepRow, house_fragment};
pub use item::{ItemPage, Trouble, Waits, item_fragment, item_page};
pub use item_history::{AttemptRow, FindingGroup, FindingRow};
pub use item_steps::{StepRow, StepState};
pub use items::{ItemRow, ItemsPage, items_fragment, items_page};
pub use items_filter::{ItemChoices, ItemFilter};
pub use keeping::{
    ClosedPage, MaintenancePage, OptionLine, ReplicaPanel, ScheduleLine, SchedulesPage, SettingRow,
    SettingsPage, SettingsSection, StoragePage, closed_page, maintenance_page, schedules_page,
    settings_page, storage_page,
};
pub use needs::{ParkedGroup, needs_fragment};
pub use overview::{
    FinishedRow, FlowWaiting, OverviewPage, Running, overview_fragment, overview_page,
    running_fragment,
};
pub use own::{OwnPage, SessionLine, TokenLine, own_page};
pub use own_overview::{HeldLine, LastItem, OwnOverview, WaitingDeletion};
pub use people::*;
pub use problem::{ProblemPage, problem_page};
pub use queues::{FlowTable, QueuesPage, TopicRow, queues_fragment, queues_page};
pub use replicas::{ReplicaRow, replicas_fragment};
pub use reports::{
    DeclarePage, DeclaredLine, DepositsReportPage, DepositsReportRow, FormatsReportPage,
    GrowthReportPage, GrowthReportRow, NdsaArea, NdsaCell, NdsaNote, NdsaPage, NdsaRequirement,
    PlotColumn, ReportChoices, ReportFilter, ReportTab, ReportsPage, StorageReportPage,
    StorageReportRow, declare_page, deposits_report_page, formats_report_page, growth_report_page,
    ndsa_page, reports_page, storage_report_page,
};
pub use research::*;
pub use restorations::{
    ReadyRow, RestorationsPage, UnderWayRow, restorations_fragment, restorations_page,
};
pub use search::{FoundItem, FoundObject, SearchPage, search_page};
