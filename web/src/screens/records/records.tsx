import { Header } from '../../shell/header.tsx'

export function Records() {
  return <Header title="Records" />
}
