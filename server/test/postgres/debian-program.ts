import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { connect } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { whenFileEnds } from '../when-file-ends.ts'

type Program = { path: string; args: readonly string[]; port: number; uid?: number }

/** Runs a program of Debian until the test file ends, and waits until it listens. */
export async function runProgram({ path, args, port, uid }: Program): Promise<ChildProcess> {
  if (!existsSync(path)) throw new Error(`This test needs ${path}. Run "npm run test:install -- --long".`)
  const child = spawn(path, args, { stdio: ['ignore', 'pipe', 'pipe'], ...(uid === undefined ? {} : { uid }) })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text))
  const exited = once(child, 'exit')
  whenFileEnds(async () => {
    child.kill('SIGKILL')
    await exited
  })
  while (!(await listens(port))) {
    if (child.exitCode !== null) throw new Error(`${path} did not start:\n${output}`)
    await setTimeout(50)
  }
  return child
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.on('connect', () => resolve(true)).on('error', () => resolve(false))
    socket.on('connect', () => socket.destroy())
  })
}
