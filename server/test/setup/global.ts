import { randomBytes } from 'node:crypto'
import type { TestProject } from 'vitest/node'
import { makeTemplate, migratedDatabase } from '../engine.ts'
import { bundleServer } from './bundle.ts'
import { startPostgres } from './postgres.ts'
import { startPrism } from './prism.ts'
import { startService } from './service.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The service that all tests of an engine share, each in workspaces of its own. */
    service: {
      url: string
      database_url: string
      secret: string
      /** A proxy in front of it, in the long run. */
      prism?: string
    }
  }
}

/** Starts the database server, where there is one, and one service for all test files of the engine. */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  await bundleServer()
  const { TEST_ENGINE: engine, TEST_PARTITIONS: partitions } = project.config.env
  const server = engine === 'postgres' ? await startPostgres() : undefined
  if (server) process.env.TEST_DATABASE_URL = server.url
  const template = server && (await makeTemplate(partitions))
  const database = await migratedDatabase(engine)
  const secret = randomBytes(32).toString('hex')
  const service = await startService({ DATABASE_URL: database.url, SECRET: secret, ...wideLimits })
  // What it checks does not depend on the database.
  const prism = process.env.TEST_LONG === '1' && engine === 'sqlite' ? await startPrism(service.url) : undefined
  project.provide('service', {
    url: service.url,
    database_url: database.url,
    secret,
    ...(prism && { prism: prism.url }),
  })
  return async () => {
    await prism?.stop()
    await service.stop()
    await database.drop()
    await template?.drop()
    await server?.stop()
  }
}

/** So wide that no test meets them by accident; the headers are there all the same. */
const wideLimits = {
  RATE_LIMIT_WORKSPACE: '1000000',
  RATE_LIMIT_READS: '1000000',
  RATE_LIMIT_WRITES: '1000000',
  RATE_LIMIT_ITEMS: '1000000',
  SIGN_IN_LIMIT_ADDRESS: '1000000',
}
