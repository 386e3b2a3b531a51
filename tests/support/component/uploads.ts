import { onTestFinished, vi } from "vitest";

/** An upload that waits for its response. */
export interface HeldUpload {
  form: FormData;
  headers: Headers;
  /** Reports that this many bytes were sent. */
  progress: (bytes: number) => void;
  answer: (status: number, body: unknown) => void;
  /** Ends as if the connection was lost. */
  lose: () => void;
}

/** Uploads report their progress, so they use XMLHttpRequest instead of `fetch`. Holds each until the test answers. */
export const holdUploads = (): HeldUpload[] => {
  const held: HeldUpload[] = [];
  const headersOf = new WeakMap<XMLHttpRequest, Headers>();
  const spies = [
    vi.spyOn(XMLHttpRequest.prototype, "setRequestHeader").mockImplementation(function (
      this: XMLHttpRequest,
      name,
      value,
    ) {
      const headers = headersOf.get(this) ?? new Headers();
      headers.set(name, value);
      headersOf.set(this, headers);
    }),
    vi.spyOn(XMLHttpRequest.prototype, "abort").mockImplementation(function (this: XMLHttpRequest) {
      this.onabort?.(new ProgressEvent("abort"));
    }),
    vi.spyOn(XMLHttpRequest.prototype, "send").mockImplementation(function (this: XMLHttpRequest, body) {
      held.push({
        form: body as FormData,
        headers: headersOf.get(this) ?? new Headers(),
        progress: (loaded) => void this.upload.dispatchEvent(new ProgressEvent("progress", { loaded })),
        answer: (status, response) => {
          Object.defineProperty(this, "status", { value: status });
          Object.defineProperty(this, "responseText", { value: JSON.stringify(response) });
          this.onload?.(new ProgressEvent("load"));
        },
        lose: () => this.onerror?.(new ProgressEvent("error")),
      });
    }),
  ];
  onTestFinished(() => {
    for (const spy of spies) spy.mockRestore();
  });
  return held;
};
