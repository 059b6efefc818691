export type { DashboardAuth } from './dashboard-auth.ts'
export * from './start-dashboard.ts'
