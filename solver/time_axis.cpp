// time_axis
