import { numberSetting, type SettingDefinitions, switchSetting, type ValuesOf } from "#sandbox/kit/settings.ts";

const HOUR_MS = 3_600_000;

/** What can be changed while the stand-in runs; it begins with the latencies it was started with. */
export const openAiSettings = (textLatencyMs: number, imageLatencyMs: number) =>
  ({
    textLatencyMs: numberSetting("Milliseconds until a text is answered", textLatencyMs, 0, HOUR_MS),
    imageLatencyMs: numberSetting(
      "Milliseconds until a picture is answered, drawing included",
      imageLatencyMs,
      0,
      HOUR_MS,
    ),
    latencySpread: numberSetting("How far both stray by prompt: 0.25 is a quarter more or less", 0.25, 0, 1),
    blankPictures: switchSetting("One plain picture instead of drawing"),
    picturesInFlight: numberSetting("Picture calls answered at a time, more are refused; 0 is no limit", 0, 0, 100_000),
    picturesPerMinute: numberSetting("Pictures that may begin per minute, spread evenly; 0 is no limit", 0, 0, 100_000),
  }) satisfies SettingDefinitions;

export type OpenAiSettings = ValuesOf<ReturnType<typeof openAiSettings>>;
