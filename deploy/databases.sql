-- Run once, when the server's volume is empty. The product's own database comes from POSTGRES_USER.
create database inngest;
