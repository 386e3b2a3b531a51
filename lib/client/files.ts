import { ApiError, headersFor } from "./api.ts";

interface UploadOptions {
  headers: Readonly<Record<string, string>>;
  onSent: (bytes: number) => void;
  signal: AbortSignal;
}

const parse = (text: string): unknown => {
  try {
    return text ? JSON.parse(text) : undefined;
  } catch (error) {
    // A proxy may answer with HTML, which has no error text for us.
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
};

const secondsOf = (request: XMLHttpRequest): number | undefined =>
  Number(request.getResponseHeader("retry-after")) || undefined;

/** Unlike `fetch`, reports upload progress. @throws ApiError; rejects with the signal's reason when aborted */
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
      // Contract tests verify the shapes that our server sends.
      if (request.status >= 200 && request.status < 300) resolve(body as T);
      else reject(new ApiError(request.status, body, secondsOf(request)));
    };
    signal.addEventListener("abort", () => request.abort(), { once: true });
    request.send(form);
  });

export const downloadBlob = (blob: Blob, name: string): void => {
  const url = URL.createObjectURL(blob);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  // Once the click is handled, the download no longer needs the URL.
  setTimeout(() => URL.revokeObjectURL(url));
};
