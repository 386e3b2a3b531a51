import { numberSetting, type SettingDefinitions, switchSetting, type ValuesOf } from "#sandbox/kit/settings.ts";

const HOUR_MS = 3_600_000;

export const openAiSettings = (textLatencyMs: number, imageLatencyMs: number) =>
  ({
    textLatencyMs: numberSetting("Milliseconds until a text is returned", textLatencyMs, 0, HOUR_MS),
    imageLatencyMs: numberSetting("Milliseconds until an image is returned", imageLatencyMs, 0, HOUR_MS),
    latencySpread: numberSetting("How much both vary by prompt: 0.25 is up to a quarter more or less", 0.25, 0, 1),
    blankImages: switchSetting("Return one plain image instead of drawing"),
    imagesInFlight: numberSetting("Image calls in flight at a time, more are rejected; 0 is no limit", 0, 0, 100_000),
    imagesPerMinute: numberSetting("Images that may start per minute, spread evenly; 0 is no limit", 0, 0, 100_000),
  }) satisfies SettingDefinitions;

export type OpenAiSettings = ValuesOf<ReturnType<typeof openAiSettings>>;
