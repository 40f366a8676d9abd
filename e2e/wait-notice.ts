import type { Page } from '@playwright/test';

export const waitNotice = (page: Page) => page.getByRole('status').filter({ hasText: 'The server is busy' });

export const stopWaiting = (page: Page) => page.getByRole('button', { name: 'Stop waiting' });
