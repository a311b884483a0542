/**
 * Runs when npm installs the project, on any Node. npm leaves out optional packages that do not support its own Node,
 * and the build of the application needs one of them.
 */
const [, version = process.versions.node] = /\bnode\/v(\S+)/.exec(process.env.npm_config_user_agent ?? '') ?? []
const [major = 0, minor = 0] = version.split('.').map(Number)
const isSupported = (major === 20 && minor >= 19) || (major === 22 && minor >= 12) || major > 22

if (!isSupported) {
  console.error(`
Kith needs Node 20.19, 22.12 or later to be installed, and this is Node ${version}.
Install the current LTS from https://nodejs.org and run npm ci again. Kith itself then runs on a Node of its own.
`)
  process.exitCode = 1
}
