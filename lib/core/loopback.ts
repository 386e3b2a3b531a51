/** Whether a host (name or address, IPv6 with or without brackets) is only reachable from this machine. */
export const isLoopbackHost = (host: string): boolean => {
  const name = host.replace(/^\[|\]$/g, "").toLowerCase();
  return /^(localhost|127(\.\d{1,3}){3}|::1)$/.test(name) || name.endsWith(".localhost");
};

export const isLoopbackUrl = (url: string): boolean => URL.canParse(url) && isLoopbackHost(new URL(url).hostname);
