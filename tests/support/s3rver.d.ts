/** Types of the tests' S3-compatible server, which has none of its own. */
declare module "s3rver" {
  interface S3Object {
    bucket: string;
    key: string;
    content: Buffer | NodeJS.ReadableStream;
    metadata: object;
  }
  interface Store {
    getResourcePath(bucket: string, key: string, resource: "object"): string;
    putMetadata(bucket: string, key: string, metadata: object, md5: string): Promise<void>;
    putObject(object: S3Object): Promise<{ size: number; md5: string }>;
  }
  export default class S3rver {
    constructor(options: {
      address: string;
      port: number;
      silent: boolean;
      directory: string;
      configureBuckets: { name: string; configs: string[] }[];
    });
    store: Store;
    run(): Promise<{ address: string; port: number }>;
    close(): Promise<void>;
  }
  export type { S3Object };
}
