import { createRequire } from 'node:module'
import { newFolder } from './installation.ts'
import { freePort } from './setup/postgres.ts'
import { whenFileEnds } from './when-file-ends.ts'

/** The parts of the server that the tests use. It comes without types. */
type S3rver = { run(): Promise<unknown>; close(): Promise<unknown> }

const load = createRequire(import.meta.url)

export const KEYS = { S3_ACCESS_KEY: 'S3RVER', S3_SECRET_KEY: 'S3RVER' }

/** A real S3-compatible server with a bucket, which goes when the file ends. */
export async function bucketServer(): Promise<{ url: string; folder: string; stop(): Promise<void> }> {
  const Server: new (options: object) => S3rver = load('@20minutes/s3rver')
  const [port, folder] = [await freePort(), newFolder()]
  const buckets = [{ name: 'kith-files' }]
  const server = new Server({ port, address: '127.0.0.1', silent: true, directory: folder, configureBuckets: buckets })
  await server.run()
  let stopped = false
  const stop = async () => {
    if (!stopped) await server.close()
    stopped = true
  }
  whenFileEnds(stop)
  return { url: `s3://kith-files/crm?endpoint=http://127.0.0.1:${port}&region=eu-central-1`, folder, stop }
}
