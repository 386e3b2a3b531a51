/** `next/navigation` of component tests. */
export { useParams, usePathname, useRouter, useSearchParams } from "../router.ts";

const notHere = (name: string) => (): never => {
  throw new Error(`${name}() belongs to the server; no component test gets there.`);
};
export const redirect = notHere("redirect");
export const notFound = notHere("notFound");
