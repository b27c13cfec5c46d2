// Draws the lab's pictures in README and manual anew: `make pictures`.

import { ROOT, browser, ended, opened, serve } from "./page.ts";

const [server, chromium] = await Promise.all([serve(), browser()]);
const { page } = await opened(chromium, server.address, { viewport: { width: 1280, height: 860 } });
await ended(page);
await page.locator("#preset").selectOption("gfc-2");
await page.waitForTimeout(300);
await ended(page);
await page.locator("[aria-label=Instant]").fill("150");
await page.evaluate(() => (document.activeElement as HTMLElement).blur());
await page.waitForTimeout(500);
await page.screenshot({ path: `${ROOT}docs/images/lab.png` });
// EFCI at the left, ERICA at the right.
await page.locator("#preset").selectOption("n-source");
await page.waitForTimeout(300);
await ended(page);
await page.locator("#compare").click();
await ended(page);
await page.getByRole("tab", { name: "Edit first run" }).click();
await page.locator('[id="p-switch.control"]').selectOption("efci");
await page.waitForTimeout(300);
await ended(page);
await page.locator("[aria-label=Instant]").fill("480");
await page.evaluate(() => (document.activeElement as HTMLElement).blur());
await page.waitForTimeout(500);
await page.screenshot({ path: `${ROOT}docs/images/lab-compare.png` });
await chromium.close();
await server.end();
