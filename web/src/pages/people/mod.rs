//! People and institutions, for those who look after them, and the log of who did what.

mod audit;
mod institutions;
mod user;
mod users;

pub use audit::{AuditFilter, AuditLine, AuditPage, audit_page};
pub use institutions::{
    InstitutionLine, InstitutionPage, InstitutionsPage, NewInstitutionPage, institution_page,
    institutions_page, new_institution_page,
};
pub use user::{NewUserPage, UserForm, UserPage, new_user_page, user_page};
pub use users::{UserFilter, UserLine, UsersPage, users_page};
