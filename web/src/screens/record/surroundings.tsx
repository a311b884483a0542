import { History as HistoryIcon } from 'lucide-react'
import type { ApiRecord } from '../../api/records.ts'
import { Tab, TabList, TabPanel, Tabs } from '../../components/tabs.tsx'
import { formatNumber } from '../../format/numbers.ts'
import { appearances } from '../../resources.ts'
import { History } from './history.tsx'
import { kinOf } from './kin.ts'
import { RelatedList } from './related-list.tsx'

/**
 * The related people, opportunities, tasks and notes of a record, and its history.
 */
export function Surroundings({ record }: { record: ApiRecord }) {
  const kin = kinOf(record.type)
  return (
    <Tabs defaultValue={kin[0]?.resource ?? 'history'} className="mt-6">
      <TabList aria-label="Related">
        {kin.map(({ resource }) => {
          const { icon: Icon, many } = appearances[resource]
          const count = record.attributes[`${resource}_count`]
          return (
            <Tab key={resource} value={resource} className="inline-flex items-center gap-1.5">
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
        <Tab value="history" className="inline-flex items-center gap-1.5">
          <HistoryIcon aria-hidden className="size-4" />
          History
        </Tab>
      </TabList>
      {kin.map((one) => (
        <TabPanel key={one.resource} value={one.resource} className="pt-2 outline-none">
          <RelatedList kin={one} record={record} />
        </TabPanel>
      ))}
      <TabPanel value="history" className="pt-3 outline-none">
        <History record={record} />
      </TabPanel>
    </Tabs>
  )
}
