mod images;
mod leases;
mod order;
mod rig;
mod sim;
