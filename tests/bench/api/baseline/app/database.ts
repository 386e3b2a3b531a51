import postgres from "postgres";

/** The plain driver, with as many connections as the product's pool. */
export const sql = postgres(process.env.DATABASE_URL ?? "", { max: 10, fetch_types: false });
