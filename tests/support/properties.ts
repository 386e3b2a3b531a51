import fc from "fast-check";

/** Fixed, so that failures are reproducible; set PROPERTY_SEED to try other inputs. */
fc.configureGlobal({ seed: Number(process.env.PROPERTY_SEED ?? 20_261_123) });

export { fc };
