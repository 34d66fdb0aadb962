mod built_in;
mod containers;
mod hostile;
mod model;
mod synthesis;
