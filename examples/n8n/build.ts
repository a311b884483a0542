import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { build } from 'vite'

const here = import.meta.dirname
const out = resolve(process.argv[2] ?? join(here, 'dist'))

/** n8n finds a class by the name of its file. */
const parts = {
  'nodes/Kith.node': 'kith.ts',
  'nodes/KithTrigger.node': 'kith-trigger.ts',
  'credentials/KithApi.credentials': 'kith-api.ts',
}

/** A package that a community node may be: CommonJS files without dependencies, named in its manifest. */
const manifest = {
  name: 'n8n-nodes-kith',
  version: '0.2.0',
  description: 'Nodes for the records and the changes of Kith, the CRM that other systems can talk to.',
  keywords: ['n8n-community-node-package'],
  license: 'MIT',
  n8n: {
    n8nNodesApiVersion: 1,
    credentials: Object.keys(parts).filter(isCredentials).map(pathOf),
    nodes: Object.keys(parts)
      .filter((name) => !isCredentials(name))
      .map(pathOf),
  },
}

function isCredentials(name: string): boolean {
  return name.startsWith('credentials/')
}

function pathOf(name: string): string {
  return `${name}.js`
}

/** Bundles each part with the client that it uses, and writes the manifest to the folder of the first argument. */
async function buildPackage(): Promise<void> {
  rmSync(out, { recursive: true, force: true })
  for (const [name, source] of Object.entries(parts)) {
    await build({
      root: here,
      configFile: false,
      logLevel: 'error',
      build: {
        outDir: out,
        emptyOutDir: false,
        minify: false,
        target: 'node20',
        lib: { entry: join(here, source), formats: ['cjs'], fileName: () => pathOf(name) },
      },
    })
  }
  mkdirSync(out, { recursive: true })
  writeFileSync(join(out, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
  cpSync(join(here, '../../LICENSE'), join(out, 'LICENSE'))
}

await buildPackage()
