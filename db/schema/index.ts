export * from "./accounts.ts";
export * from "./credits.ts";
export * from "./generation.ts";
export * from "./identity.ts";
export * from "./images.ts";
export * from "./live.ts";
export * from "./pins.ts";
export * from "./publishing.ts";
