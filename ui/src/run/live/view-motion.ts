/** Whether the canvas is being panned right now. Work that can wait until it stands still asks here. */
export class ViewMotion {
  moving = false;
}
