// Stands in for libnvidia-ml.so.1 of NVIDIA's driver: one GPU, whose clocks are held down by its power cap.
#include <cstring>

extern "C" {

int nvmlInit_v2() {
    return 0;
}
int nvmlDeviceGetHandleByPciBusId_v2(const char* bus_id, void** device) {
    static int gpu;
    *device = &gpu;
    return std::strcmp(bus_id, "0000:1b:00.0") == 0 ? 0 : 6;
}
int nvmlDeviceGetClockInfo(void*, unsigned kind, unsigned* mhz) {
    *mhz = kind == 1 ? 1590 : 3201;
    return 0;
}
int nvmlDeviceGetMaxClockInfo(void*, unsigned kind, unsigned* mhz) {
    *mhz = kind == 1 ? 1980 : 3201;
    return 0;
}
int nvmlDeviceGetTemperature(void*, unsigned sensor, unsigned* celsius) {
    *celsius = 61;
    return sensor == 0 ? 0 : 2;
}
int nvmlDeviceGetPowerUsage(void*, unsigned* milliwatts) {
    *milliwatts = 698'500;
    return 0;
}
// nvmlDeviceGetEnforcedPowerLimit is absent, as in an old driver.
int nvmlDeviceGetCurrentClocksThrottleReasons(void*, unsigned long long* reasons) {
    *reasons = 0x1 | 0x4;  // idle, and the power cap
    return 0;
}
}
