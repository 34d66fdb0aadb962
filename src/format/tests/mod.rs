mod built_in;
mod synthesis;
