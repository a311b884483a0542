import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { read } from './scripts/source-files.ts'
import { BACKUP_FOLDERS } from './server/src/commands/doctor.ts'

const SYSTEMD = '/usr/bin/systemd-analyze'

describe('the files for operators', () => {
  it('start the service with the same flags as npm start', () => {
    const flagsIn = (text: string) => text.match(/--(max|heap)-[a-z-]+=\d+/g)
    const { scripts } = JSON.parse(read('package.json'))
    expect(flagsIn(scripts.start)).toHaveLength(2)
    expect(flagsIn(read('deploy/kith'))).toEqual(flagsIn(scripts.start))
    expect(read('deploy/kith.service')).toContain('ExecStart=/opt/kith/current/kith serve\n')
    expect(read('Dockerfile')).toContain('CMD ["/kith/kith", "serve"]\n')
  })

  it('run with a Node that has all that the service uses: older ones lack Temporal', () => {
    const least = ['server/bin/kith.js', 'server/src/commands/doctor.ts'].map((file) => {
      return /NODE_MAJOR_MIN = (\d+)/.exec(read(file))?.[1]
    })
    const [pinned] = JSON.parse(read('package.json')).dependencies.node.split('.')
    expect(least).toEqual([pinned, pinned])
  })

  it('wait longer for the service to stop than it takes, with the DRAIN_SECONDS that the guides name', () => {
    const guides = ['docs/operate/self-hosting.md', 'docs/operate/scaling.md', '.env.example'].map(read).join('\n')
    const drains = [...guides.matchAll(/DRAIN_SECONDS=(\d+)/g)].map(([, seconds]) => Number(seconds))
    expect(drains.length).toBeGreaterThan(1)
    const millisecondsOf = (name: string) =>
      Number(
        new RegExp(`const ${name} = ([\\d_]+)`).exec(read('server/src/runtime/stop-in-time.ts'))?.[1]?.replace('_', ''),
      )
    const stop = (millisecondsOf('SHUTDOWN_MS') + millisecondsOf('LAST_LINE_MS')) / 1000
    const needed = Math.max(...drains) + stop
    const waits = [
      /stop_grace_period: (\d+)s/.exec(read('compose.yaml'))?.[1],
      /^TimeoutStopSec=(\d+)$/m.exec(read('deploy/kith.service'))?.[1],
    ]
    for (const wait of waits) expect(Number(wait)).toBeGreaterThan(needed)
    for (const name of ['compose.yaml', 'deploy/kith.service']) {
      expect(read(name)).toContain(`the ${stop} seconds in which the service stops`)
    }
  })

  it('run containers without privileges, and back up every night where kith doctor looks', () => {
    const compose = read('compose.yaml')
    const [shared = '', services = ''] = compose.split(/^services:$/m)
    for (const line of [
      'cap_drop: [ALL]',
      'security_opt: ["no-new-privileges:true"]',
      'read_only: true',
      'tmpfs: [/tmp]',
    ])
      expect(shared).toContain(`\n  ${line}\n`)
    expect(shared).toMatch(/^ {4}APP_URL: \$\{APP_URL:-http:\/\/localhost:3000\}$/m)
    expect(services.match(/<<: \*kith/g)).toHaveLength(2)
    const [folder = ''] = BACKUP_FOLDERS
    expect(services).toContain(`while kith backup --keep 14 ${folder}/; do`)
    expect(services.match(new RegExp(`- backups:${folder}`, 'g'))).toHaveLength(2)
    expect(read('Dockerfile')).toContain(`chown kith /data ${folder} `)
    expect(read('deploy/kith-backup.service')).toContain(`kith backup --keep 14 ${folder}/\n`)
  })

  // The container has GNU date.
  it.runIf(process.platform === 'linux')('wait until half past two for the next backup', () => {
    const [, sleep = ''] = /do sleep "(.*)"; done/.exec(read('compose.yaml')) ?? []
    const seconds = Number(execFileSync('sh', ['-c', `echo "${sleep.replaceAll('$$', '$')}"`], { env: { TZ: 'UTC' } }))
    const next = new Date(Date.now() + seconds * 1000 + 30_000)
    expect([next.getUTCHours(), next.getUTCMinutes()]).toEqual([2, 30])
    expect(seconds).toBeLessThanOrEqual(2 * 86_400)
  })

  it('have a Dockerfile that installs packages before it copies the source, has one Node, and runs as no root', () => {
    const [build = '', image = ''] = read('Dockerfile')
      .split(/^FROM /m)
      .slice(1)
    expect(build.indexOf('npm ci')).toBeGreaterThan(build.indexOf('COPY package.json package-lock.json'))
    expect(build.indexOf('COPY . .')).toBeGreaterThan(build.indexOf('npm ci'))
    const { workspaces } = JSON.parse(read('package.json'))
    for (const name of workspaces) expect(build).toContain(`COPY ${name}/package.json ${name}/\n`)
    expect(read('Dockerfile')).toMatch(/^ARG RUN_IMAGE=debian:/m)
    expect(image).toMatch(/^\$\{RUN_IMAGE\}\n/)
    expect(image).toMatch(/^USER (?!root)/m)
    expect(image).toMatch(/^HEALTHCHECK /m)
  })

  it('restrict both units in the same way', () => {
    const rulesOf = (name: string) =>
      read(`deploy/${name}`)
        .split('\n')
        .filter((line) => /^[A-Z]\w+=/.test(line))
    const shared = rulesOf('kith.service').slice(rulesOf('kith.service').indexOf('ProtectSystem=strict'), -1)
    expect(shared).toEqual(
      expect.arrayContaining(['CapabilityBoundingSet=', 'NoNewPrivileges=true', 'PrivateTmp=true']),
    )
    expect(rulesOf('kith-backup.service')).toEqual(expect.arrayContaining(shared))
  })

  it.runIf(existsSync(SYSTEMD)).each(['kith.service', 'kith-backup.service'])(
    'are a unit that gives little away: %s',
    (name) => {
      const args = ['security', '--offline=true', '--threshold=40', '--no-pager', `deploy/${name}`]
      expect(execFileSync(SYSTEMD, args, { encoding: 'utf8' })).toMatch(/Overall exposure level for .*: [0-3]\.\d /)
    },
  )
})
