mod demand;
mod images;
mod leases;
mod order;
mod packs;
mod rig;
mod sim;
