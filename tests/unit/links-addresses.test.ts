import { expect, test } from "vitest";
import { createLinks } from "#lib/integrations/links/client.ts";
import { isPublicAddress } from "#lib/integrations/links/targets.ts";
import { startNameServer } from "#tests/support/name-server.ts";

/** Spellings of addresses that are not public, as users may type them into the link field. */
const SPELLINGS = [
  // 127.0.0.1: dotted, shortened, decimal, octal, hexadecimal, mixed, with leading zeros, with a dot at the end.
  "http://127.0.0.1/",
  "http://127.1/",
  "http://127.0.1/",
  "http://2130706433/",
  "http://017700000001/",
  "http://0x7f000001/",
  "http://0x7f.0.0.1/",
  "http://0177.0.0.1/",
  "http://0177.0x0.0.1/",
  "http://0x7f.1/",
  "http://127.0.0.1./",
  "http://0x7F.0x00.0x00.0x01/",
  "http://000000177.0.0.1/",
  "http://127.255.255.254/",
  // The same in full-width, circled and percent-encoded signs, with an ideographic full stop.
  "http://１２７.０.０.１/",
  "http://①②⑦.⓪.⓪.①/",
  "http://127。0。0。1/",
  "http://%31%32%37.0.0.1/",
  // This machine and private networks.
  "http://0/",
  "http://0.0.0.0/",
  "http://0x0/",
  "http://0.1.2.3/",
  "http://10.0.0.1/",
  "http://10.255.255.255/",
  "http://167772161/",
  "http://012.0.0.1/",
  "http://172.16.0.1/",
  "http://172.31.255.255/",
  "http://192.168.0.1/",
  "http://192.168.1/",
  "http://3232235521/",
  "http://0xc0.0xa8.0x0.0x1/",
  "http://100.64.0.1/",
  "http://100.127.255.255/",
  // Cloud metadata services.
  "http://169.254.169.254/latest/meta-data/",
  "http://2852039166/",
  "http://0xa9fea9fe/",
  "http://0251.0376.0251.0376/",
  "http://100.100.100.200/",
  "http://192.0.0.192/",
  "http://168.63.129.16/",
  // Protocols, documentation, tests, multicast, broadcast.
  "http://192.0.2.1/",
  "http://192.88.99.1/",
  "http://198.18.0.1/",
  "http://198.51.100.7/",
  "http://203.0.113.9/",
  "http://224.0.0.1/",
  "http://239.255.255.250/",
  "http://240.0.0.1/",
  "http://255.255.255.255/",
  // IPv6: itself, mapped, compatible, translated, 6to4, Teredo, unique local, link-local, site-local, multicast.
  "http://[::1]/",
  "http://[0:0:0:0:0:0:0:1]/",
  "http://[::]/",
  "http://[::ffff:127.0.0.1]/",
  "http://[::ffff:7f00:1]/",
  "http://[::ffff:0:127.0.0.1]/",
  "http://[::ffff:8.8.8.8]/",
  "http://[::127.0.0.1]/",
  "http://[64:ff9b::127.0.0.1]/",
  "http://[64:ff9b::a9fe:a9fe]/",
  "http://[64:ff9b:1::1]/",
  "http://[2002:7f00:1::]/",
  "http://[2002:c0a8:1::1]/",
  "http://[2001::1]/",
  "http://[2001:db8::1]/",
  "http://[3fff::1]/",
  "http://[100::1]/",
  "http://[5f00::1]/",
  "http://[fc00::1]/",
  "http://[fd00:ec2::254]/",
  "http://[fe80::1]/",
  "http://[fec0::1]/",
  "http://[ff02::1]/",
] as const;

/** Refused for other reasons: other schemes and ports, credentials, and invalid URLs. */
const NEVER_REQUESTED = [
  "http://127.0.0.1:8080/",
  "http://example.com:22/",
  "https://example.com:8443/",
  "http://user@example.com/",
  "http://user:secret@example.com/",
  "http://example.com@127.0.0.1/",
  "http://127.0.0.1\\@example.com/",
  // Zones, invalid numbers, and hosts that no parser accepts.
  "http://[fe80::1%25eth0]/",
  "http://[fe80::1%eth0]/",
  "http://[::1%lo]/",
  "http://127.0.0.1.1.1/",
  "http://0x7f.0.0.256/",
  "http://4294967296/",
  "http://[::ffff:127.0.0.1/",
  "http:// 127.0.0.1 .x/",
  "ftp://example.com/",
  "file:///etc/passwd",
  "gopher://127.0.0.1/",
  "javascript:alert(1)",
  "data:text/html,x",
  "blob:https://example.com/1",
  "http://",
  "",
  "not an address",
  `https://example.com/${"a".repeat(5_000)}`,
] as const;

test("there are sixty spellings", () => {
  expect(new Set(SPELLINGS).size).toBeGreaterThanOrEqual(60);
});

test.each([...SPELLINGS, ...NEVER_REQUESTED])("R-SRV-08 refused before anything is sent: %s", async (url) => {
  const links = createLinks({ userAgent: "test", nameServers: ["127.0.0.1:9"] });
  expect(await links.check(url)).toEqual({ kind: "refused", finalUrl: url });
});

const PRIVATE = ["127.0.0.1", "10.1.2.3", "169.254.169.254", "192.168.1.1", "100.64.0.1", "::1", "fd12::1", "fe80::1"];

test.each([...PRIVATE, "::ffff:8.8.8.8", "2002:808:808::1", "64:ff9b::a00:1"])(
  "R-SRV-08 a name that resolves to %s is refused, even with a public address as well",
  async (address) => {
    const names = await startNameServer({ "inside.test": () => [address], "both.test": () => ["8.8.8.8", address] });
    const links = createLinks({ userAgent: "test", nameServers: [names.address] });
    expect((await links.check("http://inside.test/")).kind).toBe("refused");
    expect((await links.check("https://both.test/")).kind).toBe("refused");
    expect((await links.check("https://INSIDE.test./")).kind).toBe("refused");
    await names.close();
  },
);

test.each([
  "1.1.1.1",
  "8.8.8.8",
  "93.184.216.34",
  "100.63.255.255",
  "100.128.0.1",
  "172.15.255.255",
  "172.32.0.1",
  "192.167.255.255",
  "198.20.0.1",
  "223.255.255.255",
  "2606:4700:4700::1111",
  "2a00:1450:4001:81b::200e",
  "2001:4860:4860::8888",
  "64:ff9b::808:808",
])("R-SRV-08 %s is a public address", (address) => {
  expect(isPublicAddress(address)).toBe(true);
});

test.each(["", "localhost", "1.2.3", "fe80::1%eth0", "2606:4700::1%1", "::ffff:1.1.1.1", "1.1.1.1\n"])(
  "R-SRV-08 anything but a plain public address is refused: %j",
  (address) => {
    expect(isPublicAddress(address)).toBe(false);
  },
);
