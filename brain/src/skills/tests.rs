pub(crate) mod desk;

mod cascade;
mod fresh;
mod layers;
mod reading;
