import { ApiError, headersFor } from "./api.ts";

interface UploadOptions {
  headers: Readonly<Record<string, string>>;
  /** Called as the body goes out, with its bytes so far. */
  onSent: (bytes: number) => void;
  signal: AbortSignal;
}

const parse = (text: string): unknown => {
  try {
    return text ? JSON.parse(text) : undefined;
  } catch (error) {
    // Not our server's: an answer without words.
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
};

const secondsOf = (request: XMLHttpRequest): number | undefined =>
  Number(request.getResponseHeader("retry-after")) || undefined;

/**
 * Posts a form with files, as the other documented calls are made, and tells how far it has got: only this older way
 * of calling can. @throws ApiError as `api` does; rejects with the signal's reason when it is aborted.
 */
export const upload = <T>(path: string, form: FormData, { headers, onSent, signal }: UploadOptions): Promise<T> =>
  new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("POST", path);
    request.withCredentials = true;
    for (const [name, value] of headersFor(undefined)) request.setRequestHeader(name, value);
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    request.upload.onprogress = ({ loaded }) => onSent(loaded);
    request.onerror = () => reject(new ApiError(0, undefined));
    request.onabort = () => reject(signal.reason);
    request.onload = () => {
      const body = parse(request.responseText);
      // The shape is our own server's, held by the contract tests.
      if (request.status >= 200 && request.status < 300) resolve(body as T);
      else reject(new ApiError(request.status, body, secondsOf(request)));
    };
    signal.addEventListener("abort", () => request.abort(), { once: true });
    request.send(form);
  });

/** Hands a file to the browser's downloads. */
export const downloadBlob = (blob: Blob, name: string): void => {
  const address = URL.createObjectURL(blob);
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  // The download has its own hold on the bytes once the click was dealt with.
  setTimeout(() => URL.revokeObjectURL(address));
};
