import { use } from 'react'
import { useSlug } from '../../api/workspace.ts'
import { CopyButton } from '../../components/copy.tsx'
import { Tab, TabList, TabPanel, Tabs } from '../../components/tabs.tsx'
import type { ApiCall } from './list-calls.ts'

export type RelativeFilter = { stated: object; concrete: object }

/** The forms of a call, one at a time, each ready to be copied. */
export function Calls({ made, relative }: { made: Promise<ApiCall[]>; relative?: RelativeFilter | undefined }) {
  const calls = use(made)
  const slug = useSlug()
  return (
    <Tabs defaultValue={calls[0]?.id ?? ''}>
      <TabList aria-label="Forms of the call">
        {calls.map(({ id, label }) => (
          <Tab key={id} value={id}>
            {label}
          </Tab>
        ))}
      </TabList>
      {calls.map(({ id, code }) => (
        <TabPanel key={id} value={id} className="relative mt-3 outline-none">
          <pre
            // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by key
            tabIndex={0}
            className="max-h-90 overflow-auto rounded-md border border-line bg-sunk p-3 pr-24 font-mono text-xs leading-5 whitespace-pre-wrap wrap-anywhere"
          >
            <code>{code}</code>
          </pre>
          <CopyButton text={code} className="absolute top-2 right-2" />
        </TabPanel>
      ))}
      {relative && <Relative {...relative} />}
      <p className="mt-3 text-xs text-faint">
        Set <code className="font-mono">KITH_TOKEN</code> to a token from{' '}
        <a href={`/${slug}/settings/tokens`} className="text-accent underline underline-offset-2">
          Settings, Access Tokens
        </a>
        . The{' '}
        <a href="/docs" target="_blank" rel="noreferrer" className="text-accent underline underline-offset-2">
          reference
        </a>{' '}
        shows every endpoint.
      </p>
    </Tabs>
  )
}

/** The API takes dates and ids. The list states periods and "me", and translates them for its reader. */
function Relative({ stated, concrete }: RelativeFilter) {
  return (
    <section aria-label="Relative filter" className="mt-3 grid gap-2">
      <p className="text-xs text-quiet">
        This list’s filter moves with the calendar and its reader. The API takes dates and ids, so the calls contain
        those of today, in your time zone ({new Intl.DateTimeFormat().resolvedOptions().timeZone}).
      </p>
      <div className="grid gap-2 sm:grid-cols-2">
        <Form title="The list states" filter={stated} />
        <Form title="The API gets" filter={concrete} />
      </div>
    </section>
  )
}

function Form({ title, filter }: { title: string; filter: object }) {
  return (
    <figure className="min-w-0">
      <figcaption className="mb-1 text-xs text-faint">{title}</figcaption>
      <pre
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by key
        tabIndex={0}
        className="max-h-48 overflow-auto rounded-md border border-line bg-sunk p-2 font-mono text-xs leading-5"
      >
        <code>{JSON.stringify(filter, null, 2)}</code>
      </pre>
    </figure>
  )
}
