import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { BUNDLE, isBundleFresh } from './bundle-age.js'

// The source runs as well: while it is edited, the bundle is out of date.
if (isBundleFresh()) await import(pathToFileURL(join(BUNDLE, 'main.js')).href)
else await import('../src/main.ts')
