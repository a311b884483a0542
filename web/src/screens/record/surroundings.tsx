import { Activity, Compass } from 'lucide-react'
import type { ApiRecord } from '../../api/records.ts'
import { Tab, TabList, TabPanel, Tabs } from '../../components/tabs.tsx'
import { formatNumber } from '../../format/numbers.ts'
import type { Included } from '../../properties/related.ts'
import { appearances } from '../../resources.ts'
import { Timeline } from '../activity/timeline.tsx'
import { kinOf } from './kin.ts'
import { Overview } from './overview.tsx'
import { RelatedList } from './related-list.tsx'

/** What happened to a record, an overview of it, and the people, opportunities, tasks and notes that belong to it. */
export function Surroundings({ record, included }: { record: ApiRecord; included: Included }) {
  const kin = kinOf(record.type)
  return (
    <Tabs defaultValue="activity" className="mt-6">
      <TabList aria-label="Related">
        <Tab value="activity" className={look}>
          <Activity aria-hidden className="size-4" />
          Activity
        </Tab>
        <Tab value="overview" className={look}>
          <Compass aria-hidden className="size-4" />
          Overview
        </Tab>
        {kin.map(({ resource }) => {
          const { icon: Icon, many } = appearances[resource]
          const count = record.attributes[`${resource}_count`]
          return (
            <Tab key={resource} value={resource} className={look}>
              <Icon aria-hidden className="size-4" />
              {many}
              {typeof count === 'number' && count > 0 && (
                <span data-numeric className="text-xs text-faint">
                  {formatNumber(count)}
                </span>
              )}
            </Tab>
          )
        })}
      </TabList>
      <TabPanel value="activity" className="pt-4 outline-none">
        <Timeline record={record} />
      </TabPanel>
      <TabPanel value="overview" className="pt-4 outline-none">
        <Overview record={record} included={included} />
      </TabPanel>
      {kin.map((one) => (
        <TabPanel key={one.resource} value={one.resource} className="pt-2 outline-none">
          <RelatedList kin={one} record={record} />
        </TabPanel>
      ))}
    </Tabs>
  )
}

const look = 'inline-flex items-center gap-1.5'
