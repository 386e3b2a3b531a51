type StorageLocation =
  | { kind: "file"; folder: string }
  | { kind: "s3"; bucket: string; region: string; endpoint: string | null };

const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;
const REGION = /^[a-z0-9-]{2,40}$/;

const isHttp = (text: string): boolean => /^https?:\/\//.test(text) && URL.canParse(text);

const parseS3Url = (text: string): StorageLocation | null => {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (!url || url.username || !["", "/"].includes(url.pathname) || url.hash) return null;
  const { region = "us-east-1", endpoint = null, ...others } = Object.fromEntries(url.searchParams);
  if (!BUCKET.test(url.host) || !REGION.test(region) || Object.keys(others).length > 0) return null;
  return endpoint === null || isHttp(endpoint) ? { kind: "s3", bucket: url.host, region, endpoint } : null;
};

/** Parses `file:/folder` or `s3://bucket?region=…&endpoint=…`; null when it is neither. */
export const parseStorageUrl = (text: string): StorageLocation | null => {
  const folder = /^file:(?:\/\/)?(.+)$/.exec(text)?.[1];
  if (folder !== undefined) return { kind: "file", folder };
  return text.startsWith("s3:") ? parseS3Url(text) : null;
};
